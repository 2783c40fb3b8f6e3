from typing import Any

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.conversion import converted


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes", True), ("True", True), ("1", True), ("no", False), ("FALSE", False), ("0", False)],
)
def test_converts_truth(text: str, value: bool) -> None:
    assert converted("x", text, bool) is value


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("none", int | None, None),
        ("3", int | None, 3),
        ("3", int | str, 3),
        ("x", int | str, "x"),
        ("1e-3", float, 0.001),
    ],
)
def test_converts_by_annotation(text: str, annotation: Any, value: object) -> None:
    assert converted("x", text, annotation) == value


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e400", "1e16", "-1e300"])
def test_refuses_numbers_that_nobody_means(text: str) -> None:
    with pytest.raises(InvalidSetting, match=f"pgd: step must be a number of at most 1e\\+15, got '{text}'"):
        converted("pgd: step", text, float | None)
    with pytest.raises(InvalidSetting, match="at most"):
        converted("pgd: steps", "9" * 400, int)
