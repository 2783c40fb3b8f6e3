"""Every promise on the page names a test that exists, and says whether it runs in every suite."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "promises.md"
ROWS = re.findall(r"^\| (.+) \| `(tests/[\w/]+\.py)::(test_\w+)`( \(soak\))? \|$", PAGE.read_text(), re.MULTILINE)


def test_every_row_names_a_test() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and "held by" not in line]
    assert len(ROWS) == len(lines) > 40
    assert len({promise for promise, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("promise", "file", "test", "soak"), ROWS)
def test_the_named_test_exists(promise: str, file: str, test: str, soak: str) -> None:
    text = (ROOT / file).read_text()
    found = re.search(rf"((?:^@.*\n(?:^[ )].*\n)*)*)^def {test}\(", text, re.MULTILINE)
    assert found, f"{promise}: {file} has no {test}"
    assert ("pytest.mark.soak" in found[1]) == bool(soak)
