"""Campaigns that a stranger made: they are read, with suspicion, and nothing of them is run."""

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Plan, Source, shards
from unnerve.campaign.records import decisive, recorded
from unnerve.campaign.sealing.header import sealed_header
from unnerve.campaign.sealing.seal import KEY, Seal, SealedAs, digest, sealed
from unnerve.campaign.store import Store
from unnerve.core.findings import Finding, finding_id
from unnerve.core.naming.catalogue import build
from unnerve.subjects.datasets.tensors import tensors

Change = Callable[[Path], object]

READER = """
import json, sys
from unnerve.core.errors import UserError
from unnerve.studies.campaign.campaign import Campaign

def look(folder):
    campaign = Campaign.at(folder)
    json.dumps(campaign.rows())
    campaign.findings.to_pylist()
    campaign.tensors()
    assert [one.counts() for one in campaign.tallies.values()]
    campaign.store.seeds(list(campaign.store.labels()))
    assert campaign.region, campaign.seconds

sound, *strange = sys.argv[1:]
look(sound)  # whatever is imported late has been imported now
watched, events = ("import", "exec", "compile", "pickle.", "marshal.", "ctypes.", "subprocess.", "os.system", "os.exec",
    "os.fork", "os.posix_spawn", "socket.", "open"), []

def note(event, given):
    if event.startswith(watched) and not (event == "open" and "r" in str(given[1])):
        events.append(f"{event} {given}"[:200])

sys.addaudithook(note)
said = {}
for folder in strange:
    events.clear()
    try:
        look(folder)
        words = "read"
    except UserError as problem:
        words = str(problem)
    except BaseException as problem:
        words = f"CRASHED: {type(problem).__name__}: {problem}"
    said[folder] = {"words": words, "events": list(events)}
print(json.dumps(said))
"""


def header(**change: Any) -> Change:
    def changed(folder: Path) -> None:
        file = folder / "campaign.json"
        whole = json.loads(file.read_text())
        file.write_text(json.dumps({**whole, "plan": {**whole["plan"], **change}}))

    return changed


def facts(part: str, **change: Any) -> Change:
    """Change what the region, the oracle or the only method says of itself."""

    def changed(folder: Path) -> None:
        file = folder / "campaign.json"
        whole = json.loads(file.read_text())
        said = whole["plan"]["facts"]
        (said[part][0] if part == "methods" else said[part]).update(change)
        file.write_text(json.dumps(whole))

    return changed


def without(part: str, name: str | None = None) -> Change:
    """Take away all that a part says of itself, or one of its facts."""

    def changed(folder: Path) -> None:
        file = folder / "campaign.json"
        whole = json.loads(file.read_text())
        said = whole["plan"]["facts"]
        del (said if name is None else said[part])[name or part]
        file.write_text(json.dumps(whole))

    return changed


def top(**change: Any) -> Change:
    """Change the header itself."""

    def changed(folder: Path) -> None:
        file = folder / "campaign.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **change}))

    return changed


def column(file: str, name: str, make: Callable[[int], Any]) -> Change:
    """Replace a column of a parquet file."""

    def changed(folder: Path) -> None:
        path = min(folder.glob(file))
        table = pq.read_table(path, use_threads=False)
        place = table.column_names.index(name)
        pq.write_table(table.set_column(place, name, make(table.num_rows)), path)

    return changed


def records(text: str) -> Change:
    def changed(folder: Path) -> None:
        path = min(folder.glob("shards/*"))
        table = pq.read_table(path, use_threads=False)
        pq.write_table(table.replace_schema_metadata({b"unnerve.seeds": text.encode()}), path)

    return changed


def python_type(folder: Path) -> None:
    """Name a Python type in the schema, as Arrow allows; older versions of it unpickled them."""
    path = min(folder.glob("shards/*"))
    table = pq.read_table(path, use_threads=False)
    evil = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": PAYLOAD}
    schema = pa.schema([table.schema.field("id").with_metadata(evil), *list(table.schema)[1:]])
    pq.write_table(pa.Table.from_arrays(table.columns, schema=schema.with_metadata(table.schema.metadata)), path)


class Evil:
    """What runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return print, ("unpickled",)


PAYLOAD = pickle.dumps(Evil())
NAN, INFINITE, LONG = float("nan"), float("inf"), 10**400
RECORD = {"id": "0", "queries": 1, "picks": 1, "failing": 1, "failed": None}
PLUGIN = {"name": "antigravity:fly", "kind": "hunter", "callable": "os:system", "arguments": ["true"]}
OPENING = {"source": "this:s", "options": {"weights": "$(true)", "`true`": True}, "only_in_python": [], "files": {}}
DATA = {"name": "d", "hash": "1", "opening": OPENING}
COLUMN = {"name": "age", "kind": "real", "low": 0, "high": 1, "spread": 1, "values": []}
READ: dict[str, Change] = {
    "methods of a plugin": header(methods=[PLUGIN]),
    "a callable as model": header(model={"name": "os.py:system", "source": "this:s", "hash": "x", "opening": OPENING}),
    "a region of code": header(region={"name": "__import__('this')", "radius": {"kind": "python", "name": "this"}}),
    "an oracle of code": header(oracle={"name": "this"}),
    "offers of code": header(model={"name": "m", "hash": "1", "opening": OPENING, "offers": ["os.system", 7]}),
    "a region that says code": facts("region", text="__import__('this')", phrase="{0.__class__} {size!r:>{size}}"),
    "an oracle that says HTML": facts("oracle", text="<script>", phrase="<script>", evidence=["<script>"]),
    "a method that says code": facts("methods", text="$(true); `true`"),
    "a method that is HTML": column("shards/*", "method", lambda rows: pa.array(["<script>"] * rows)),
    "a Python type in the schema": python_type,
    "shards that nobody planned": lambda folder: (folder / "shards" / "evil.parquet").write_bytes(PAYLOAD),
    "times without end": lambda folder: min(folder.glob("timings/*")).write_text("[" * 99_999),
}
REFUSED: dict[str, Change] = {
    "a pickle among the inputs": column("shards/*", "input", lambda rows: pa.array([PAYLOAD] * rows, pa.binary())),
    "another dtype": column("shards/*", "dtype", lambda rows: pa.array(["object"] * rows)),
    "a huge shape": column("shards/*", "shape", lambda rows: pa.array([[2**40, 2**40]] * rows)),
    "endless seeds": header(seeds=10**15),
    "endless shards": header(seeds=9_999_999, shard=1),
    "seeds in words": header(seeds="many"),
    "seeds that are no number": header(seeds=NAN),
    "seeds of 400 digits": header(seeds=LONG),
    "shards without end": header(shard=INFINITE),
    "pools of 400 digits": header(pools=LONG),
    "proofs of 400 digits": header(proofs=LONG),
    "queries that are no number": header(queries=NAN),
    "a random seed that is no number": header(seed=NAN),
    "clips at a rate that is no number": header(data={**DATA, "clips": {"rate": NAN, "form": "waveform"}}),
    "clips at an endless rate": header(data={**DATA, "clips": {"rate": INFINITE, "form": "waveform"}}),
    "a column of 400 digits": header(data={**DATA, "features": [{**COLUMN, "high": LONG}]}),
    "a column that is no number": header(data={**DATA, "features": [{**COLUMN, "spread": NAN}]}),
    "a method that needs endless queries": facts("methods", least=INFINITE),
    "a method that is blind in words": facts("methods", blind="yes"),
    "a region that is normed in numbers": facts("region", normed=1),
    "decibels that are no number": facts("region", decibels=NAN),
    "offers in words": header(model={"name": "m", "hash": "1", "opening": OPENING, "offers": "gradients"}),
    "methods in words": header(methods="os.system"),
    "a method without a name": header(methods=[{"callable": "os:system"}]),
    "an unknown field": header(evil=True),
    "no facts": header(facts={}),
    "facts in words": header(facts="os.system"),
    "facts of more methods": header(facts={"methods": [{"text": "pgd", "scope": "seed"}] * 2}),
    "facts of methods in words": header(facts={"methods": "p"}),
    "no facts of the region": without("region"),
    "no facts of the oracle": without("oracle"),
    "no facts of the methods": without("methods"),
    "a region without a reach": without("region", "reach"),
    "an oracle without evidence": without("oracle", "evidence"),
    "a method without a scope": facts("methods", scope=None),
    "a scope of code": facts("methods", scope="os.system"),
    "a method that says a number": facts("methods", text=7),
    "a region that says a list": facts("region", text=["linf"]),
    "a phrase that is none": facts("region", phrase=None),
    "an unknown norm": facts("region", norm="input"),
    "a norm of a list": facts("region", norm=["l2"]),
    "a size in words": facts("region", size="0.1"),
    "a size that is no number": facts("region", size=float("nan")),
    "a size that is true": facts("region", size=True),
    "a size of 400 digits": facts("region", size=LONG),
    "an endless reach": facts("region", reach=INFINITE),
    "a reach of 400 digits": facts("region", reach=LONG),
    "a strict size that is no number": facts("region", strict=[0.01, float("nan")]),
    "a strict size of 400 digits": facts("region", strict=[0.01, LONG]),
    "a strict size alone": facts("region", strict=[0.01]),
    "a range of one number": facts("region", value_range=1),
    "a range that is no number": facts("region", value_range=[float("nan"), 1]),
    "a range of 400 digits": facts("region", value_range=[0, LONG]),
    "a range upside down": facts("region", value_range=[1, 0]),
    "a wider region of code": facts("region", wider={"callable": "os:system"}),
    "a target below zero": facts("oracle", target=-1),
    "a target in words": facts("oracle", target="1"),
    "a target that is true": facts("oracle", target=True),
    "a target that is no number": facts("oracle", target=NAN),
    "a target that is a share": facts("oracle", target=0.5),
    "evidence of numbers": facts("oracle", evidence=[1, 2]),
    "evidence that is one word": facts("oracle", evidence="margin"),
    "a deed that is none": facts("oracle", deed=None),
    "a model without a name": header(model={"hash": "x"}),
    "a model with a number for a name": header(model={"name": 7, "hash": "x"}),
    "an older format": top(format=1),
    "a format of lines": top(format="2\n3"),
    "a format that is no number": top(format=NAN),
    "a format of 400 digits": top(format=LONG),
    "a class that is no number": top(classes=[NAN]),
    "versions of a list": top(versions=["1"]),
    "a header that is a list": lambda folder: (folder / "campaign.json").write_text("[]"),
    "a header of NUL": lambda folder: (folder / "campaign.json").write_bytes(bytes(64)),
    "a NUL in the header": lambda folder: (folder / "campaign.json").write_bytes(
        (folder / "campaign.json").read_bytes().replace(b'"m"', b'"m\0"', 1)
    ),
    "inputs that are not bytes": column("shards/*", "input", lambda rows: pa.array([1.5] * rows)),
    "classes that are not numbers": column("shards/*", "after", lambda rows: pa.array(["<script>"] * rows)),
    "queries that are missing": column("shards/*", "queries", lambda rows: pa.array([None] * rows, pa.int64())),
    "strangers' seeds": column("shards/*", "seed_id", lambda rows: pa.array(["stranger"] * rows)),
    "findings of two shapes": column("shards/*0000003*", "shape", lambda rows: pa.array([[4]] * rows)),
    "no records": records("[]"),
    "records of words": records(json.dumps([{**RECORD, "queries": "9"}])),
    "records below zero": records(json.dumps([{**RECORD, "queries": -9}])),
    "records with more": records(json.dumps([{**RECORD, "__class__": "os.system"}])),
    "records without end": records("[" * 99_999),
    "seeds of objects": column("seeds.parquet", "dtype", lambda rows: pa.array(["object"] * rows)),
    "seeds of a huge shape": column("seeds.parquet", "shape", lambda rows: pa.array([[2**40, 2**40]] * rows)),
    "seeds of numbers": column("seeds.parquet", "input", lambda rows: pa.array([1.5] * rows)),
    "labels of words": column("seeds.parquet", "label", lambda rows: pa.array(["<script>"] * rows)),
    "seeds that are a pickle": lambda folder: (folder / "seeds.parquet").write_bytes(PAYLOAD),
    "a shard that is a pickle": lambda folder: min(folder.glob("shards/*")).write_bytes(PAYLOAD),
}


def sound(folder: Path) -> None:
    """Make a campaign of six seeds in two shards, with a finding from each."""
    pgd, region, oracle = build("hunter", "pgd"), build("region", "linf:0.1"), build("oracle", "changed")
    plan: HuntPlan = Plan(Source("m", "0"), Source("d", "1"), (pgd,), region, oracle, 6, shard=3)
    store = Store(str(folder))
    store.begin(recorded(plan, (1, 2, 2)), {}, tensors(np.zeros((6, 1, 2, 2), np.float32), [0, 1] * 3), resume=False)
    for shard in shards(plan):
        ids = [str(row) for row in range(shard.start, shard.stop)]
        found = tuple(
            (
                Finding(
                    finding_id(name, bytes(16)),
                    *(name, 0, 0, 1, 0.5, 0.5, 1, 0.1, 0.1, 0, 1.0, bytes(16), (1, 2, 2), "float32"),
                ),
                3,
            )
            for name in ids
        )
        store.write(shard, "pgd", Outcome(found, tuple(SeedRecord(name, 5, 2, 1) for name in ids)), 0.5)


def seal(folder: Path) -> None:
    """Seal what was changed again, as a stranger who means to deceive would, as far as it can be read at all."""
    file = folder / "campaign.json"
    with suppress(Exception):
        header = json.loads(file.read_text())
        header["seeds"] = digest((folder / "seeds.parquet").read_bytes())
        file.write_text(json.dumps(sealed_header(header)))
        plan = digest(decisive(header["plan"]))
        for path in folder.glob("shards/method*"):
            with suppress(Exception):
                seal_shard(path, SealedAs(plan, path.stem))


def seal_shard(path: Path, owner: SealedAs) -> None:
    table = pq.read_table(path, use_threads=False)
    if table.schema.field("input").type == pa.binary():
        rows = zip(table["seed_id"].to_pylist(), table["input"].to_pylist(), strict=True)
        table = table.set_column(0, table.schema.field("id"), pa.array([finding_id(*row) for row in rows]))
    metadata = {**(table.schema.metadata or {}), KEY: Seal(owner.plan, owner.shard).to_bytes()}
    file = BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), file)
    path.write_bytes(sealed(file.getvalue(), owner))


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return what a process of its own said of every campaign, and what it did meanwhile."""
    place = tmp_path_factory.mktemp("strangers")
    sound(place / "sound")
    folders = {}
    for number, (name, change) in enumerate({**READ, **REFUSED}.items()):
        folders[name] = copytree(place / "sound", place / f"stranger{number}")
        change(folders[name])
        seal(folders[name])
    done = subprocess.run(
        [sys.executable, "-c", READER, str(place / "sound"), *map(str, folders.values())],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "unpickled" not in done.stdout + done.stderr
    answers = json.loads(done.stdout)
    return {name: {**answers[str(folder)], "folder": str(folder)} for name, folder in folders.items()}


@pytest.mark.tried("hostile campaigns")
@pytest.mark.parametrize("name", READ)
def test_a_strangers_campaign_is_only_read(name: str, said: dict[str, dict[str, Any]]) -> None:
    assert said[name]["words"] == "read"
    assert said[name]["events"] == [], "something was imported, run or opened for writing"


@pytest.mark.tried("hostile campaigns")
@pytest.mark.parametrize("name", REFUSED)
def test_a_strangers_nonsense_is_one_clear_line(name: str, said: dict[str, dict[str, Any]]) -> None:
    words = said[name]["words"]
    assert words.startswith((said[name]["folder"], "stored inputs must"))
    assert len(words.splitlines()) == 1
    assert said[name]["events"] == []


def test_what_runs_code_would_be_seen() -> None:
    """The watchman is awake: a pickle that is loaded is an event."""
    seen = "sys.addaudithook(lambda event, given: event.startswith('pickle.') and print(event))"
    code = f"import pickle, sys\n{seen}\npickle.loads({PAYLOAD!r})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pickle.find_class" in done.stdout
