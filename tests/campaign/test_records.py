"""What a campaign keeps of its plan and of its oracle's evidence, and the format it is kept in."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Shard
from unnerve.campaign.records import recorded
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.findings import Finding, finding_id

SHARD = Shard(0, 0, 20)
RECORDS = tuple(SeedRecord(str(row), 5, 2, 1) for row in range(20))
FINDING = Finding(
    finding_id("0", bytes(256)), "0", 0, 0, 1, 0.5, 0.5, 1, 0.1, 0.1, 0, 1.0, bytes(256), (1, 8, 8), "float32"
)


@pytest.fixture
def store(planned: Callable[..., HuntPlan], pictures: Examples, tmp_path: Path) -> Store:
    """Return the folder of a campaign that has begun."""
    made = Store(str(tmp_path / "run"))
    made.begin(recorded(planned("pgd:steps=3"), pictures.shape), {}, pictures, resume=False)
    return made


@pytest.mark.parametrize("found", [None, 4, 5, 7, "6", [6]])
def test_another_format_is_refused_in_one_line(store: Store, found: object) -> None:
    header = Path(store.path, "campaign.json")
    whole = json.loads(header.read_text())
    assert whole["format"] == 6
    changed = {**whole, "format": found} if found is not None else {k: v for k, v in whole.items() if k != "format"}
    header.write_text(json.dumps(changed))
    with pytest.raises(InvalidData, match=rf"^{store.path} was written in format .*, and this version reads format 6"):
        store.plan()


def test_an_oracles_evidence_is_stored_beside_the_finding(store: Store) -> None:
    judged = FINDING._replace(evidence=(("pcs", 0.25), ("vro", 0.5)), parameters=(0.5, 0.125))
    store.write(SHARD, "pgd", Outcome(((judged, 9),), RECORDS))
    (row,) = store.read(SHARD)[0].to_pylist()
    assert (row["pcs"], row["vro"], row["parameters"]) == (0.25, 0.5, [0.5, 0.125])
    assert store.read(SHARD, ["id", "vro"])[0].column_names == ["id", "vro"]


def test_a_plan_says_what_its_parts_said_of_themselves(store: Store) -> None:
    plan = store.plan()
    assert [one.text for one in plan.methods] == ["pgd:steps=3"]
    assert (plan.region.text, plan.region.norm, plan.oracle.text) == ("linf:0.1", "linf", "misclassified")


def test_damaged_seeds_and_notes_are_named(store: Store) -> None:
    Path(store.path, "seeds.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InvalidData, match=r"seeds\.parquet cannot be read"):
        list(store.seed_blocks())
    Path(store.path, "coverage.json").write_bytes(b"{\xff")
    with pytest.raises(InvalidData, match=r"coverage\.json cannot be read"):
        store.noted("coverage")
