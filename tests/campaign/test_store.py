import json
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Shard, Source, StoredPlan, shards
from unnerve.campaign.records import plan_from_json, plan_to_json, recorded
from unnerve.campaign.run import ShardJob, run
from unnerve.campaign.store import SCHEMA, Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.findings import Finding, finding_id
from unnerve.core.storage.parts import part_of
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

Planned = Callable[..., HuntPlan]
VERSIONS = {"unnerve": "0", "torch": "2"}
SHARD = Shard(0, 0, 2)
FIGURES = (0.5, 0.75, 4, 0.25, 0.0625, 7, 1.5)
FINDING = Finding(finding_id("a", b"\0\1\2\3" * 4), "a", None, 0, 1, *FIGURES, b"\0\1\2\3" * 4, (1, 2, 2), "float32")
OTHER = FINDING._replace(id=finding_id("a", b"\1" * 16), label=3, input=b"\1" * 16)
SEEDS = tensors(
    np.arange(24, dtype=np.float32).reshape(6, 1, 2, 2) / 23,
    [0, 1, 2, 0, 1, 2],
    classes=("<b>zero</b>", "one\n", "zwei"),
    name="six",
)
OUTCOME = Outcome(
    ((FINDING, 9), (OTHER, 11)),
    (SeedRecord("a", 12, 5, 4), SeedRecord("b", 0, 0, 0, "raised: naïve")),
)


@pytest.fixture
def plan(planned: Planned) -> StoredPlan:
    return recorded(planned("pgd:steps=3", seeds=6, shard=2), (1, 8, 8))


@pytest.fixture(params=["disk", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "disk":
        yield str(tmp_path / "runs" / "first")
        return
    yield "memory://runs/first"
    fsspec.filesystem("memory").rm("/runs", recursive=True)


@pytest.fixture
def store(tmp_path: Path, plan: StoredPlan) -> Store:
    made = Store(str(tmp_path / "run"))
    made.begin(plan, VERSIONS, SEEDS, resume=False)
    return made


def files(path: str) -> dict[str, bytes]:
    """Return the content of all files below a path, hidden ones too."""
    system, root = fsspec.core.url_to_fs(path)
    return {name.removeprefix(f"{root}/"): system.cat_file(name) for name in system.find(root)}


def test_a_campaign_begins_with_its_plan(path: str, plan: StoredPlan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    assert store.plan() == plan
    assert store.header()["versions"] == VERSIONS
    assert store.header()["classes"] == ["<b>zero</b>", "one\n", "zwei"]
    assert sorted(files(path)) == ["campaign.json", "seeds.parquet"]
    assert json.loads(files(path)["campaign.json"])["plan"]["methods"][0]["name"] == "pgd"


def test_what_is_written_is_read_again(path: str, plan: StoredPlan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    assert store.finished([SHARD]) == []
    store.write(SHARD, "pgd", OUTCOME)
    assert store.finished([SHARD]) == [SHARD]
    table, records = store.read(SHARD)
    assert records == list(OUTCOME.seeds)
    assert table.schema.equals(SCHEMA)
    first, second = table.to_pylist()
    stored = {key: value for key, value in FINDING._asdict().items() if key != "evidence"}
    assert first == {**stored, "shape": [1, 2, 2], "parameters": [], "method": "pgd", "queries": 9}
    assert (second["id"], second["label"], second["queries"]) == (OTHER.id, 3, 11)
    assert Finding(**{name: first[name] for name in stored}).tensor().shape == (1, 2, 2)


def test_a_shard_without_findings_is_a_shard(store: Store) -> None:
    store.write(SHARD, "pgd", Outcome((), OUTCOME.seeds))
    table, records = store.read(SHARD)
    assert table.num_rows == 0
    assert table.schema.equals(SCHEMA)
    assert records == list(OUTCOME.seeds)


def test_finished_shards_come_in_the_plans_order(path: str, plan: StoredPlan) -> None:
    store, planned = Store(path), shards(plan)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    for place in (2, 0):
        store.write(planned[place], "pgd", OUTCOME)
    assert [shard for shard, _, _ in store.shards()] == [planned[0], planned[2]]
    assert store.finished(planned) == [planned[0], planned[2]]
    assert store.finished(planned[::-1]) == [planned[2], planned[0]]
    assert [store.holds(shard) for shard in planned] == [True, False, True]
    table = next(iter(store.shards(["after", "queries"])))[1]
    assert table.column_names == ["after", "queries"]
    assert table["queries"].to_pylist() == [9, 11]


def test_a_campaign_is_not_overwritten(path: str, plan: StoredPlan) -> None:
    Store(path).begin(plan, VERSIONS, SEEDS, resume=False)
    Store(path).write(SHARD, "pgd", OUTCOME)
    before = files(path)
    with pytest.raises(OutputRefused) as error:
        Store(path).begin(plan, VERSIONS, SEEDS, resume=False)
    assert str(error.value) == f"{path} holds a campaign; `resume` goes on with it, or choose another `out`"
    assert files(path) == before


def test_a_campaign_is_resumed_with_the_same_plan(path: str, plan: StoredPlan) -> None:
    Store(path).begin(plan, VERSIONS, SEEDS, resume=False)
    Store(path).write(SHARD, "pgd", OUTCOME)
    before = files(path)
    Store(path).begin(plan_from_json(plan_to_json(plan)), {"torch": "3"}, SEEDS, resume=True)
    assert files(path) == before


def test_resuming_what_was_never_begun_begins_it(path: str, plan: StoredPlan) -> None:
    Store(path).begin(plan, VERSIONS, SEEDS, resume=True)
    assert Store(path).plan() == plan


def test_a_crash_before_the_header_was_written_can_be_resumed(tmp_path: Path, plan: StoredPlan) -> None:
    (tmp_path / "run" / "shards").mkdir(parents=True)
    Store(str(tmp_path / "run")).begin(plan, VERSIONS, SEEDS, resume=True)
    assert Store(str(tmp_path / "run")).plan() == plan


def test_another_plan_is_refused_and_the_difference_named(path: str, plan: StoredPlan) -> None:
    Store(path).begin(plan, VERSIONS, SEEDS, resume=False)
    before = files(path)
    other = replace(plan, seed=5, model=Source("tiny", "other"))
    with pytest.raises(InvalidSetting) as error:
        Store(path).begin(other, VERSIONS, SEEDS, resume=True)
    assert str(error.value) == (
        f'{path} was begun otherwise (model.hash: "m", now "other"; seed: 0, now 5); choose another `out`'
    )
    assert files(path) == before


def failing(problem: BaseException) -> Callable[..., None]:
    """Return what writes a few bytes and then fails."""

    def written(file: Any, *_: object) -> None:
        file.write(b"half")
        raise problem

    return written


@pytest.mark.parametrize(
    ("problem", "seen"),
    [
        (OSError(28, "No space left on device"), OutputRefused),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (RuntimeError("killed"), RuntimeError),
    ],
)
def test_a_shard_is_written_whole_or_not_at_all(
    path: str, plan: StoredPlan, problem: BaseException, seen: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    before = {name for name in files(path) if not name.startswith("timings/")}
    monkeypatch.setattr("unnerve.campaign.store.write_shard", failing(problem))
    with pytest.raises(seen):
        store.write(SHARD, "pgd", OUTCOME)
    monkeypatch.undo()
    assert not store.finished([SHARD])
    assert {name for name in files(path) if not name.startswith("timings/")} == before
    store.write(SHARD, "pgd", OUTCOME)
    assert store.read(SHARD)[1] == list(OUTCOME.seeds)


def test_a_full_disk_is_said_in_one_line(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.campaign.store.write_shard", failing(OSError(28, "No space left on device")))
    with pytest.raises(OutputRefused) as error:
        store.write(SHARD, "pgd", OUTCOME)
    assert str(error.value) == f"cannot write {store.path}/shards/{SHARD.name}.parquet: No space left on device"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_crash_left_is_not_visible(store: Store, plan: StoredPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(file: Any, *_: object) -> None:
        file.write(b"half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr("unnerve.campaign.store.write_shard", killed)
        store.write(SHARD, "pgd", OUTCOME)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    left = [name for name in files(store.path) if name.endswith(".part")]
    assert left, "something was left"
    assert not store.finished([SHARD])
    other = Shard(0, 2, 4)
    store.write(other, "pgd", OUTCOME)
    assert pq.read_table(f"{store.path}/shards", use_threads=False).num_rows == 2
    store.begin(plan, VERSIONS, SEEDS, resume=True)
    assert not [name for name in files(store.path) if name.endswith(".part")], "and is tidied up later"
    assert store.finished([other]) == [other]


def test_what_others_are_writing_stays(store: Store, plan: StoredPlan) -> None:
    theirs = [Path(store.path, ".notes.part"), Path(store.path, "mine", ".shard.parquet.0123abcd.part")]
    theirs[1].parent.mkdir()
    for path in theirs:
        path.touch()
    with part_of(Path(store.path, "report.html")) as part:
        store.begin(plan, VERSIONS, SEEDS, resume=True)
        assert part.exists(), "somebody is writing a report right now"
    assert all(path.exists() for path in theirs)


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "foreign", "no records"])
def test_a_damaged_shard_is_one_clear_line(store: Store, damage: str) -> None:
    store.write(SHARD, "pgd", OUTCOME)
    file = Path(store.path, "shards", f"{SHARD.name}.parquet")
    whole = file.read_bytes()
    if damage in ("foreign", "no records"):
        metadata = {b"unnerve.seeds": b"[1]"} if damage == "no records" else None
        pq.write_table(pa.table({"x": [1]}).replace_schema_metadata(metadata), file)
    else:
        file.write_bytes({"truncated": whole[:-40], "garbage": b"no parquet " * 20, "empty": b""}[damage])
    with pytest.raises(InvalidData) as error:
        store.read(SHARD)
    assert str(error.value).startswith(f"{store.path}: shards/{SHARD.name}.parquet is damaged or foreign (")
    assert str(error.value).endswith("); `resume` sets it aside and hunts its seeds again")
    assert len(str(error.value).splitlines()) == 1


PLANS = ["{}", '{"seeds": 0}', "null"]
NO_HEADERS = ["", "{", "[]", '{"format": 6}', *(f'{{"format": 6, "plan": {one}}}' for one in PLANS), "[" * 99_999]


@pytest.mark.parametrize("change", [{"seeds": 0}, {"classes": 3}, {"classes": [3]}, {"versions": []}, *NO_HEADERS])
def test_a_damaged_header_is_one_clear_line(store: Store, change: Any) -> None:
    header = Path(store.path, "campaign.json")
    if isinstance(change, dict):
        whole = json.loads(header.read_text())
        text = json.dumps(
            {**whole, **change, "plan": {**whole["plan"], **change}} if "seeds" in change else whole | change
        )
    else:
        text = change
    header.write_text(text)
    with pytest.raises(InvalidData, match=rf"^{store.path}: campaign\.json is damaged: "):
        store.plan()


def test_where_there_is_no_campaign(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("nowhere", "file", "."):
        with pytest.raises(InvalidData, match=r": there is no campaign \(campaign\.json is missing\)$"):
            Store(str(tmp_path / name)).plan()


def test_refuses_places_where_it_cannot_write(tmp_path: Path, plan: StoredPlan) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputRefused, match=rf"^cannot write to {tmp_path}/file/run: Not a directory$"):
        Store(str(tmp_path / "file" / "run")).begin(plan, VERSIONS, SEEDS, resume=False)
    with pytest.raises(InvalidSetting, match=r"^carrier-pigeon://x: "):
        Store("carrier-pigeon://x")


def test_nothing_is_pickled(path: str, plan: StoredPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pickle")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    store.write(SHARD, "pgd", OUTCOME)
    store.read(SHARD)
    assert store.plan() == plan


@pytest.mark.parametrize("method", ["pgd:steps=4", "guided:search=genetic(population=6,iterations=4)"])
def test_equal_runs_give_equal_bytes(
    method: str, planned: Planned, tmp_path: Path, tiny_model: TorchModule, pictures: Examples
) -> None:
    plan = planned(method, shard=8)
    contents = []
    for place, name in enumerate(("one", "two")):
        store = Store(str(tmp_path / name))
        store.begin(recorded(plan, pictures.shape), VERSIONS, pictures, resume=False)
        for shard in shards(plan)[:: 1 - 2 * place]:
            job = ShardJob(plan, shard, pictures.batch(range(shard.start, shard.stop)))
            store.write(shard, "hunter", run(job, Subject(tiny_model)), seconds=1.5 + place)
            assert store.seconds(shard) == 1.5 + place
        contents.append({name: data for name, data in files(store.path).items() if not name.startswith("timings/")})
    assert len(contents[0]) == 3 + 2
    assert contents[0] == contents[1], "how long it took stands elsewhere"
    assert pq.read_table(tmp_path / "one" / "shards", use_threads=False).num_rows > 0


def test_seeds_are_read_again(path: str, plan: StoredPlan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    found = store.seeds(["4", "1", "nobody"])
    assert sorted(found) == ["1", "4"]
    for name, array in found.items():
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, SEEDS.batch([int(name)]).inputs[0].numpy())
    assert store.labels() == {"0": 0, "1": 1, "2": 2, "3": 0, "4": 1, "5": 2}
    assert list(store.labels()) == list(SEEDS.ids())


def test_seeds_without_labels(path: str, plan: StoredPlan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, tensors(SEEDS.batch(range(6)).inputs), resume=False)
    assert set(store.labels().values()) == {None}


def test_more_seeds_than_a_block(path: str, plan: StoredPlan) -> None:
    raw = np.arange(2500, dtype=np.float32).reshape(2500, 1) / 2500
    store = Store(path)
    store.begin(plan, VERSIONS, tensors(raw), resume=False)
    found = store.seeds([str(row) for row in range(2500)])
    np.testing.assert_array_equal(np.stack([found[str(row)] for row in range(2500)]), raw)


def test_seeds_that_are_gone_are_written_again(store: Store, plan: StoredPlan) -> None:
    file = Path(store.path, "seeds.parquet")
    before = file.read_bytes()
    file.unlink()
    with pytest.raises(InvalidData, match=r"seeds\.parquet cannot be read"):
        store.labels()
    store.begin(plan, VERSIONS, SEEDS, resume=True)
    assert file.read_bytes() == before


@pytest.mark.parametrize("resume", [True, False])
def test_shards_without_a_header_are_refused(store: Store, plan: StoredPlan, resume: bool) -> None:
    store.write(SHARD, "pgd", OUTCOME)
    Path(store.path, "campaign.json").unlink()
    before = files(store.path)
    with pytest.raises(OutputRefused) as error:
        store.begin(plan, VERSIONS, SEEDS, resume=resume)
    assert str(error.value) == f"{store.path} holds shards but no campaign.json; choose another `out`"
    assert files(store.path) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"seconds": "long"}', '{"seconds": null}', "[" * 99_999])
def test_a_lost_time_is_no_harm(store: Store, text: str) -> None:
    store.write(SHARD, "pgd", OUTCOME, seconds=2.0)
    assert store.seconds(SHARD) == 2.0
    Path(store.path, "timings", f"{SHARD.name}.json").write_text(text)
    assert store.seconds(SHARD) == 0.0
    Path(store.path, "timings", f"{SHARD.name}.json").unlink()
    assert store.seconds(SHARD) == 0.0
    assert store.read(SHARD)[0].num_rows == 2


def test_notes_are_kept_beside_the_shards(path: str, plan: StoredPlan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    assert store.noted("coverage") is None
    store.note("coverage", {"nc": 0.5})
    store.note("coverage", {"nc": 0.75})
    assert Store(path).noted("coverage") == {"nc": 0.75}
    with pytest.raises(ValueError, match="JSON"):
        store.note("coverage", {"nc": float("nan")})
    assert store.noted("coverage") == {"nc": 0.75}


def test_seeds_come_in_blocks(path: str, plan: StoredPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.campaign._tables._ROWS", 4)
    store = Store(path)
    store.begin(plan, VERSIONS, SEEDS, resume=False)
    blocks = list(store.seed_blocks())
    assert [names for names, _ in blocks] == [["0", "1", "2", "3"], ["4", "5"]]
    assert np.array_equal(np.concatenate([inputs for _, inputs in blocks]), SEEDS.batch(range(6)).inputs.numpy())
