"""Methods with too few queries for one step are named as such, not as beaten."""

import json
from pathlib import Path
from typing import Any

import pytest

from unnerve.campaign.tally import Shortage
from unnerve.core.data.examples import Examples
from unnerve.reports.campaign.text import campaign_text
from unnerve.reports.write import write_report
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import arena, differences, ranked
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule

LACKS = "has too few queries for one step: needs 101 queries per seed, got 100"
SMALL: dict[str, Any] = {"region": "linf:0.3", "inputs": 9, "queries": 100}


@pytest.fixture
def compared(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Campaign:
    return arena(tiny_model, answered, "guided,pgd:steps=8,random", str(tmp_path / "a"), **SMALL)


def test_it_has_no_rank_and_loses_no_comparison(compared: Campaign) -> None:
    assert compared.tallies["guided"].shortage == Shortage(101, 100)
    assert str(compared.tallies["guided"].shortage) == LACKS
    assert set(ranked(compared.tallies)) == {"pgd", "random"}
    assert {(one.better, one.other) for one in differences(compared.tallies)} == {("pgd", "random")}


def test_json_and_text_say_so(compared: Campaign) -> None:
    rows = {row["method"]: row for row in json.loads(json.dumps(compared.summary()))["rows"]}
    assert {name: row["could_not_afford"] for name, row in rows.items()} == {
        "guided": {"needs": 101, "got": 100},
        "pgd": None,
        "random": None,
    }
    assert rows["guided"]["ci95"] == {}
    assert f"guided {LACKS}" in compared.headline()
    text = campaign_text(compared)
    assert f"guided {LACKS}." in text
    assert "more than guided" not in text


def test_the_report_says_so(compared: Campaign, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    write_report(compared, page)
    text = page.read_text()
    assert LACKS in text
    assert "pgd over guided" not in text


def test_a_hunt_that_cannot_begin_found_nothing_out(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    text = campaign_text(hunt(tiny_model, answered, "guided", str(tmp_path / "a"), **SMALL))
    assert "no method had the queries for one step on" in text
    assert LACKS in text
    assert "queries  " not in text, "a table without rows has no header"
    assert "\n\n\n" not in text
    assert "no error of" not in text
    assert "does not prove" not in text


@pytest.mark.parametrize(
    ("method", "needs"),
    [
        ("guided:search=pso(particles=30)", 31),
        ("deepsensor:particles=30", 32),
        ("deepsensor_excitable:particles=30", 63),
        ("tensorfuzz:mutants=200", 101),  # two seeds share 200 mutants, and have a clean pass each
        ("deephunter:nc,mutants=20,entries=16", 161),
        ("dlfuzz", 5),  # its seeds step together, each at its own cost
    ],
)
def test_what_swarms_and_pools_need(
    method: str, needs: int, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    few, enough = (
        hunt(tiny_model, answered, method, str(tmp_path / str(queries)), region="linf:0.3", inputs=2, queries=queries)
        for queries in (needs - 1, needs)
    )
    (lacking,), (able,) = few.tallies.values(), enough.tallies.values()
    assert lacking.shortage == Shortage(needs, needs - 1)
    assert able.shortage is None
    assert sum(seed.picks for seed in able.seeds) > 0
