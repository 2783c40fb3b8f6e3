import json
from pathlib import Path

import pytest

from unnerve.campaign.counts import Counts
from unnerve.campaign.sealing.header import sealed_header
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.studies.intervals.proportion import proportion
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.fixture
def folder(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> Path:
    """Return the folder of a campaign: seven seeds in three shards."""
    hunt(tiny_model, answered, "pgd:steps=4", str(tmp_path / "a"), region="linf:0.3", inputs=7, shard=3)
    return tmp_path / "a"


def test_tallies_figures_and_findings_agree(folder: Path) -> None:
    campaign = Campaign.at(folder)
    (tally,) = campaign.tallies.values()
    (row,) = campaign.rows()
    counts = tally.counts()
    assert counts.errors == campaign.findings.num_rows > 0
    assert Counts(**{name: row[name] for name in vars(counts)}) == counts
    assert row["ci95"]["seeds_broken"] == list(proportion(counts.seeds_broken, 7).ci95)
    for name in ("errors", "error_categories"):
        low, high = row["ci95"][name]
        assert low <= row[name] / 7 <= high
    assert row["seconds"] == pytest.approx(sum(campaign.seconds.values()), abs=1e-3)
    assert row["seconds"] > 0
    json.dumps(row)


def test_nothing_finished_is_no_error(folder: Path) -> None:
    for file in (folder / "shards").iterdir():
        file.unlink()
    campaign = Campaign.at(folder)
    assert campaign.findings.num_rows == 0
    assert campaign.findings.schema.names[0] == "id"
    assert campaign.summary()["inputs"] == 0
    assert campaign.summary()["ci95"] == {}
    assert not campaign.complete


def test_pandas_reads_the_folder_as_it_is(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(folder / "shards")
    assert sorted(frame["id"]) == sorted(Campaign.at(folder).findings["id"].to_pylist())


@pytest.mark.parametrize("text", ["linf:0.1", "l0:0.05", "linf:8/255", "l2:0.0313725"])
def test_regions_are_written_as_users_do(
    text: str, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    found = hunt(tiny_model, answered, "random:iterations=1", str(tmp_path / "a"), region=text, inputs=2)
    assert found.region == Campaign.at(tmp_path / "a").region == text
    assert found.summary()["region"] == text


@pytest.mark.parametrize("text", ["somewhere", "<b>", ""])
def test_a_strangers_region_is_what_it_says_of_itself(text: str, folder: Path) -> None:
    header = json.loads((folder / "campaign.json").read_text())
    header["plan"]["region"] = {"name": "<b>", "radius": ["x"]}
    header["plan"]["facts"]["region"]["text"] = text
    (folder / "campaign.json").write_text(json.dumps(sealed_header(header)))
    assert Campaign.at(folder).region == text


@pytest.mark.parametrize("place", ["nowhere", "."])
def test_where_there_is_none(place: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"there is no campaign \(campaign\.json is missing\)$"):
        Campaign.at(tmp_path / place)
