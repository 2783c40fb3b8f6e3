"""What one file may cost."""

from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.storage import limits

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "limits.md"


@pytest.mark.parametrize("name", ["PIXELS", "NUMBERS", "PARAMETERS", "ROWS", "CELLS"])
def test_limits_are_stated(name: str) -> None:
    assert f"{getattr(limits, name):,}" in PAGE.read_text()


def test_limits_in_other_units_are_stated() -> None:
    page = PAGE.read_text()
    assert f"{limits.UNPACKED // 2**30} GiB" in page
    assert f"{limits.TEXT // 2**20} MiB" in page
    assert f"{limits.CLASSES - 1:,}" in page
    assert f"{limits.NESTING} deep" in page


def test_what_unpacks_to_too_much_is_refused() -> None:
    limits.check_unpacked(limits.UNPACKED, "x")
    with pytest.raises(InvalidData, match=r"x must unpack to <= 4,294,967,296 bytes, got 4,294,967,297; store it"):
        limits.check_unpacked(limits.UNPACKED + 1, "x", "; store it")


@pytest.mark.parametrize("workers", [None, 1, 64])
def test_sensible_numbers_of_threads(workers: int | None) -> None:
    limits.check_threads(workers)


@pytest.mark.parametrize(("workers", "rule"), [(0, ">= 1"), (-3, ">= 1"), (100_000, "<= .* on this machine")])
def test_other_numbers_of_threads(workers: int, rule: str) -> None:
    with pytest.raises(InvalidSetting, match=f"workers must be {rule}, got {workers}"):
        limits.check_threads(workers)
