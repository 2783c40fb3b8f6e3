import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unnerve.campaign.plan import Plan, Shard, shards
from unnerve.campaign.run import Job, Outcome, SeedRecord, run
from unnerve.campaign.store import SCHEMA, Store
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.examples import Examples
from unnerve.core.findings import Finding
from unnerve.subjects.adapters.torch_module import TorchModule

Planned = Callable[..., Plan]
VERSIONS = {"unnerve": "0", "torch": "2"}
SHARD = Shard(0, 0, 2)
FINDING = Finding("id", "a", None, 0, 1, 0.5, 0.75, 4, 0.25, 0.125, 7, 1.5, b"\0\1\2\3" * 4, (1, 2, 2), "float32")
OUTCOME = Outcome(
    ((FINDING, 9), (FINDING._replace(id="other", label=3), 11)),
    (SeedRecord("a", 12, 5, 4), SeedRecord("b", 0, 0, 0, "raised: naïve")),
)


@pytest.fixture
def plan(planned: Planned) -> Plan:
    return planned("pgd:steps=3", seeds=6, shard=2)


@pytest.fixture(params=["disk", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "disk":
        yield str(tmp_path / "runs" / "first")
        return
    yield "memory://runs/first"
    fsspec.filesystem("memory").rm("/runs", recursive=True)


@pytest.fixture
def store(tmp_path: Path, plan: Plan) -> Store:
    made = Store(str(tmp_path / "run"))
    made.begin(plan, VERSIONS, resume=False)
    return made


def files(path: str) -> dict[str, bytes]:
    """Return the content of all files below a path, hidden ones too."""
    system, root = fsspec.core.url_to_fs(path)
    return {name.removeprefix(f"{root}/"): system.cat_file(name) for name in system.find(root)}


def test_a_campaign_begins_with_its_plan(path: str, plan: Plan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, resume=False)
    assert store.plan() == plan
    assert store.header()["versions"] == VERSIONS
    assert list(files(path)) == ["campaign.json"]
    assert json.loads(files(path)["campaign.json"])["plan"]["methods"][0]["name"] == "pgd"


def test_what_is_written_is_read_again(path: str, plan: Plan) -> None:
    store = Store(path)
    store.begin(plan, VERSIONS, resume=False)
    assert not store.finished(SHARD)
    store.write(SHARD, "pgd", OUTCOME)
    assert store.finished(SHARD)
    table, records = store.read(SHARD)
    assert records == list(OUTCOME.seeds)
    assert table.schema.equals(SCHEMA)
    first, second = table.to_pylist()
    assert first == {**FINDING._asdict(), "shape": [1, 2, 2], "method": "pgd", "queries": 9}
    assert (second["id"], second["label"], second["queries"]) == ("other", 3, 11)
    assert Finding(**{name: first[name] for name in Finding._fields}).tensor().shape == (1, 2, 2)


def test_a_shard_without_findings_is_a_shard(store: Store) -> None:
    store.write(SHARD, "pgd", Outcome((), OUTCOME.seeds))
    table, records = store.read(SHARD)
    assert table.num_rows == 0
    assert table.schema.equals(SCHEMA)
    assert records == list(OUTCOME.seeds)


def test_finished_shards_come_in_the_plans_order(path: str, plan: Plan) -> None:
    store, planned = Store(path), shards(plan)
    store.begin(plan, VERSIONS, resume=False)
    for place in (2, 0):
        store.write(planned[place], "pgd", OUTCOME)
    assert [shard for shard, _, _ in store.shards(planned)] == [planned[0], planned[2]]
    assert [shard for shard in planned if not store.finished(shard)] == [planned[1]]


def test_a_campaign_is_not_overwritten(path: str, plan: Plan) -> None:
    Store(path).begin(plan, VERSIONS, resume=False)
    Store(path).write(SHARD, "pgd", OUTCOME)
    before = files(path)
    with pytest.raises(OutputRefused) as error:
        Store(path).begin(plan, VERSIONS, resume=False)
    assert str(error.value) == f"{path} holds a campaign; --resume goes on with it, or choose another --out"
    assert files(path) == before


def test_a_campaign_is_resumed_with_the_same_plan(path: str, plan: Plan) -> None:
    Store(path).begin(plan, VERSIONS, resume=False)
    Store(path).write(SHARD, "pgd", OUTCOME)
    before = files(path)
    Store(path).begin(Plan.from_json(plan.to_json()), {"torch": "3"}, resume=True)
    assert files(path) == before


def test_resuming_what_was_never_begun_begins_it(path: str, plan: Plan) -> None:
    Store(path).begin(plan, VERSIONS, resume=True)
    assert Store(path).plan() == plan


def test_a_crash_before_the_header_was_written_can_be_resumed(tmp_path: Path, plan: Plan) -> None:
    (tmp_path / "run" / "shards").mkdir(parents=True)
    Store(str(tmp_path / "run")).begin(plan, VERSIONS, resume=True)
    assert Store(str(tmp_path / "run")).plan() == plan


def test_another_plan_is_refused_and_the_difference_named(path: str, plan: Plan) -> None:
    Store(path).begin(plan, VERSIONS, resume=False)
    before = files(path)
    other = replace(plan, seed=5, model={"name": "tiny", "hash": "other"})
    with pytest.raises(InvalidSetting) as error:
        Store(path).begin(other, VERSIONS, resume=True)
    assert str(error.value) == (
        f'{path} was begun otherwise (model: {{"name": "tiny", "hash": "m"}}, now {{"name": "tiny", "hash": "other"}}; '
        "seed: 0, now 5); choose another --out"
    )
    assert files(path) == before


class Failing:
    """A file that takes a few bytes and then fails."""

    def __init__(self, file: Any, problem: BaseException) -> None:
        self.file, self.problem = file, problem

    def __enter__(self) -> "Failing":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> None:
        self.file.write(data[: len(data) // 2])
        raise self.problem


@pytest.mark.parametrize(
    ("problem", "seen"),
    [
        (OSError(28, "No space left on device"), OutputRefused),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (RuntimeError("killed"), RuntimeError),
    ],
)
def test_a_shard_is_written_whole_or_not_at_all(
    store: Store, problem: BaseException, seen: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, usual = files(store.path), store._files.open
    monkeypatch.setattr(store._files, "open", lambda *given, **more: Failing(usual(*given, **more), problem))
    with pytest.raises(seen):
        store.write(SHARD, "pgd", OUTCOME)
    monkeypatch.undo()
    assert not store.finished(SHARD)
    assert files(store.path) == before
    store.write(SHARD, "pgd", OUTCOME)
    assert store.read(SHARD)[1] == list(OUTCOME.seeds)


def test_a_full_disk_is_said_in_one_line(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, problem = store._files.open, OSError(28, "No space left on device")
    monkeypatch.setattr(store._files, "open", lambda *given, **more: Failing(usual(*given, **more), problem))
    with pytest.raises(OutputRefused) as error:
        store.write(SHARD, "pgd", OUTCOME)
    assert str(error.value) == f"cannot write {store.path}/shards/{SHARD.name}.parquet: No space left on device"


def test_what_a_crash_left_is_not_visible(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store._files, "mv", lambda *_: (_ for _ in ()).throw(RuntimeError("power cut")))
    monkeypatch.setattr(store._files, "rm_file", lambda _: None)  # nobody tidies up after a power cut
    with pytest.raises(RuntimeError, match="power cut"):
        store.write(SHARD, "pgd", OUTCOME)
    monkeypatch.undo()
    assert len(files(store.path)) == 2, "something was left"
    assert not store.finished(SHARD)
    other = Shard(0, 2, 4)
    store.write(other, "pgd", OUTCOME)
    assert pq.read_table(f"{store.path}/shards", use_threads=False).num_rows == 2


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
    words = f"{store.path}: shards/{SHARD.name}.parquet cannot be read; delete it and --resume the campaign"
    assert str(error.value) == words


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"plan": {}}', '{"plan": {"seeds": 0}}', '{"plan": null}'])
def test_a_damaged_header_is_one_clear_line(store: Store, text: str) -> None:
    Path(store.path, "campaign.json").write_text(text)
    with pytest.raises(InvalidData, match=rf"^{store.path}: campaign\.json is damaged: "):
        store.plan()


def test_where_there_is_no_campaign(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("nowhere", "file", "."):
        with pytest.raises(InvalidData, match=r": there is no campaign \(campaign\.json is missing\)$"):
            Store(str(tmp_path / name)).plan()


def test_refuses_places_where_it_cannot_write(tmp_path: Path, plan: Plan) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputRefused, match=rf"^cannot write to {tmp_path}/file/run: Not a directory$"):
        Store(str(tmp_path / "file" / "run")).begin(plan, VERSIONS, resume=False)
    with pytest.raises(InvalidSetting, match=r"^carrier-pigeon://x: "):
        Store("carrier-pigeon://x")


def test_nothing_is_pickled(path: str, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pickle")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    store = Store(path)
    store.begin(plan, VERSIONS, resume=False)
    store.write(SHARD, "pgd", OUTCOME)
    store.read(SHARD)
    assert store.plan() == plan


@pytest.mark.parametrize("method", ["pgd:steps=4", "guided:search=genetic(population=6,iterations=4)"])
def test_equal_runs_give_equal_bytes(
    method: str, planned: Planned, tmp_path: Path, tiny_model: TorchModule, pictures: Examples
) -> None:
    plan = planned(method, shard=8)
    contents = []
    for name in ("one", "two"):
        store = Store(str(tmp_path / name))
        store.begin(plan, VERSIONS, resume=False)
        for shard in shards(plan) if name == "one" else reversed(shards(plan)):
            store.write(shard, "hunter", run(Job(plan, shard, pictures.batch(range(shard.start, shard.stop))), tiny_model))
        contents.append(files(store.path))
    assert len(contents[0]) == 4
    assert contents[0] == contents[1]
    assert pq.read_table(tmp_path / "one" / "shards", use_threads=False).num_rows > 0
