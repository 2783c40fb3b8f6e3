"""What is published in the docs is what the code makes of the published figures."""

import json
import re
from pathlib import Path

import pytest

from unnerve.core.naming.catalogue import names
from unnerve.papers._json import from_json
from unnerve.reports.reproduction.files import reproduction_markdown
from unnerve.studies.reproduction import Claim, Reproduction, Table

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "reproduction" / "results"


@pytest.mark.parametrize("paper", sorted(names("paper")))
def test_the_published_tables_are_those_of_the_published_figures(paper: str) -> None:
    text = (RESULTS / f"{paper}.json").read_text()
    kept = json.loads(text)
    result = Reproduction(
        paper=kept["paper"],
        size=kept["size"],
        claims=from_json(tuple[Claim, ...], kept["claims"]),
        tables=from_json(tuple[Table, ...], kept["tables"]),
        cells=(),
        skipped=tuple(kept["skipped"]),
    )
    assert json.dumps(result.summary(), indent=1) == text
    assert reproduction_markdown(result) == (RESULTS / f"{paper}.md").read_text()


def test_nothing_published_names_a_place_on_a_machine() -> None:
    published = [path for path in RESULTS.rglob("*") if path.suffix in {".json", ".md"}]
    assert len(published) > 50
    assert [path.name for path in published if re.search(r"[\": ]/(tmp|home|root|work|Users)/", path.read_text())] == []
