"""Stored shards that are damaged, copied from elsewhere, or changed: none is believed, none is deleted."""

import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.tries import Tries
from unnerve.campaign.sealing.header import DamagedHeader, sealed_header
from unnerve.campaign.store import DamagedShard
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule

Hunting = Callable[..., Campaign]


@pytest.fixture
def hunted(tiny_model: TorchModule, pictures: Examples, tmp_path: Path) -> Hunting:
    """Return hunted(name, **settings) -> a campaign of two shards in the folder ``name``."""

    def made(name: str, **settings: object) -> Campaign:
        chosen = {"region": "linf:0.3", "inputs": 10, "shard": 5, **settings}
        return hunt(tiny_model, pictures, "pgd:steps=4", str(tmp_path / name), **chosen)

    return made


def shards(campaign: Campaign) -> list[Path]:
    return sorted(Path(campaign.store.path, "shards").glob("*.parquet"))


def files(campaign: Campaign) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in shards(campaign)}


def read_whole(campaign: Campaign) -> None:
    fresh = Campaign.at(campaign.store.path)
    for shard, _, _ in fresh.store.shards(["id"]):
        fresh.store.read(shard, whole=True)


@pytest.mark.tried("flipped bits of a shard")
def test_every_bit_of_a_shard_counts(hunted: Hunting, tries: Tries) -> None:
    campaign = hunted("run")
    assert campaign.findings.num_rows
    file = shards(campaign)[0]
    whole, chance = file.read_bytes(), random.Random(5)  # noqa: S311 - no secret
    for _ in range(150):
        tries.made += 1
        bit = chance.randrange(8 * len(whole))
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        with pytest.raises(InvalidData, match=rf"^{campaign.store.path}: shards/{file.name} is damaged or foreign \("):
            read_whole(campaign)
    file.write_bytes(whole)
    read_whole(campaign)


def test_flipped_inputs_are_noticed_by_whoever_reads_them(hunted: Hunting) -> None:
    campaign = hunted("run")
    file = shards(campaign)[0]
    data = bytearray(file.read_bytes())
    seal = json.loads(pq.read_metadata(file).metadata[b"unnerve.seal"])
    data[(int(seal["start"]) + int(seal["stop"])) // 2] ^= 16
    file.write_bytes(data)
    assert Campaign.at(campaign.store.path).tallies, "who reads no inputs need not know"
    with pytest.raises(DamagedShard):
        Campaign.at(campaign.store.path).findings  # noqa: B018 - read now
    with pytest.raises(DamagedShard):
        Campaign.at(campaign.store.path).tensors()


def test_damage_is_told_at_its_turn(hunted: Hunting) -> None:
    """The next shard is fetched and checked while one is looked at, and nobody hears of it before."""
    campaign = hunted("run")
    second = shards(campaign)[1]
    second.write_bytes(second.read_bytes()[:-9])
    each = Campaign.at(campaign.store.path).store.shards()
    assert next(each)[1].num_rows
    with pytest.raises(DamagedShard, match=second.stem):
        next(each)


@pytest.mark.parametrize(
    "other", [{"region": "linf:0.31"}, {"seed": 1}, {"queries": 9}, {"region": "l2:5"}, {"stop_at_first": True}]
)
def test_shards_of_other_campaigns_are_refused(other: dict[str, object], hunted: Hunting) -> None:
    campaign, stranger = hunted("run"), hunted("other", **other)
    shards(campaign)[1].write_bytes(shards(stranger)[1].read_bytes())
    with pytest.raises(DamagedShard, match="belongs to another plan"):
        Campaign.at(campaign.store.path).tallies  # noqa: B018 - read now


def test_a_copy_of_another_shard_is_refused(hunted: Hunting) -> None:
    campaign = hunted("run")
    first, second = shards(campaign)
    second.write_bytes(first.read_bytes())
    with pytest.raises(DamagedShard, match=f"it is a copy of {first.stem}"):
        Campaign.at(campaign.store.path).tallies  # noqa: B018 - read now


def test_what_is_damaged_is_set_aside_and_made_again(hunted: Hunting) -> None:
    campaign = hunted("run")
    expected = files(campaign)
    first, second = shards(campaign)
    damaged = expected[first.name][:-9]
    first.write_bytes(damaged)
    (second.parent / "stray.parquet").write_bytes(b"whose?")
    with pytest.warns(UserWarning) as said:  # noqa: PT030 - their words are looked at below
        again = hunted("run", resume=True)
    words = sorted(str(one.message).removeprefix(f"{campaign.store.path}: ") for one in said)
    assert words[0].startswith(f"shards/{first.name} is damaged or foreign (")
    assert words[0].endswith(f"); it was moved to damaged/{first.stem}.0.parquet, and is made again")
    assert words[1] == "shards/stray.parquet is not planned; it was moved to damaged/stray.0.parquet"
    assert files(again) == expected
    aside = Path(campaign.store.path, "damaged")
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == {
        f"{first.stem}.0.parquet": damaged,
        "stray.0.parquet": b"whose?",
    }


def test_one_bit_of_an_input_is_enough_to_make_a_shard_again(hunted: Hunting) -> None:
    """Counts need no inputs: a resumed run that looked at no more than counts would go on with what is damaged."""
    campaign = hunted("run")
    expected = files(campaign)
    file = shards(campaign)[0]
    data = bytearray(expected[file.name])
    seal = json.loads(pq.read_metadata(file).metadata[b"unnerve.seal"])
    data[(int(seal["start"]) + int(seal["stop"])) // 2] ^= 16
    file.write_bytes(data)
    with pytest.warns(UserWarning, match=rf"{file.stem}.* is damaged or foreign .* and is made again"):
        again = hunted("run", resume=True)
    assert files(again) == expected
    assert Path(campaign.store.path, "damaged", f"{file.stem}.0.parquet").read_bytes() == data


def test_a_header_that_was_changed_is_refused(hunted: Hunting) -> None:
    campaign = hunted("run")
    file = Path(campaign.store.path, "campaign.json")
    header = json.loads(file.read_text())
    header["plan"]["region"]["radius"] = 0.2
    file.write_text(json.dumps(header))
    with pytest.raises(InvalidData, match=r"campaign\.json is damaged: its content is not what was written$"):
        Campaign.at(campaign.store.path)
    file.write_text(json.dumps(sealed_header(header)))
    with pytest.raises(DamagedShard, match="belongs to another plan"):
        Campaign.at(campaign.store.path).tallies  # noqa: B018 - read now


def test_seeds_that_were_changed_are_refused_and_written_again(hunted: Hunting) -> None:
    campaign, stranger = hunted("run"), hunted("other", inputs=9)
    file = Path(campaign.store.path, "seeds.parquet")
    whole = file.read_bytes()
    file.write_bytes(Path(stranger.store.path, "seeds.parquet").read_bytes())
    with pytest.raises(InvalidData, match=r"seeds\.parquet cannot be read: they are not those that were written"):
        Campaign.at(campaign.store.path).store.labels()
    with pytest.warns(UserWarning, match=r"moved to damaged/seeds\.0\.parquet"):
        hunted("run", resume=True)
    assert file.read_bytes() == whole


@pytest.mark.parametrize(
    "problem",
    [DamagedShard("run: shards/a.parquet", "damaged or foreign (x)"), DamagedHeader("run", KeyError("facts"))],
)
def test_damage_is_told_by_other_processes_too(problem: DamagedShard | DamagedHeader) -> None:
    again = pickle.loads(pickle.dumps(problem))  # noqa: S301 - as a worker hands it over
    assert (str(again), again.reason) == (str(problem), problem.reason)
