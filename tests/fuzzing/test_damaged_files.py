"""Files that are damaged at random: whatever reads them says so in one line, or reads what is still right."""

import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from safetensors.torch import save_file
from torch import nn

import unnerve
from tests.fuzzing.commands import Commands, complaint
from tests.tries import Tries

NET = """
import torch
from torch import nn

def build():
    net = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    with torch.no_grad():
        for one in net.parameters():
            one.copy_(torch.linspace(-3, 3, one.numel()).sin().view_as(one))
    return net.eval()
"""
READERS: dict[str, list[list[str]]] = {
    "run/campaign.json": [["verify", "run"], ["report", "run", "--out", "r.html"], ["export", "run", "--to", "e"]],
    "run/seeds.parquet": [["verify", "run"], ["report", "run", "--out", "r.html"]],
    "run/shards/method00-seeds0000000-0000004.parquet": [["verify", "run"], ["export", "run", "--to", "e"]],
    "run/shards/method00-seeds0000004-0000008.parquet": [["verify", "run", "--model", "net.py:build"]],
    "run/stability.json": [["report", "run", "--out", "r.html"], ["verify", "run"]],
    "run/smallest_changes.json": [["report", "run", "--out", "r.html"], ["verify", "run"]],
    "run/timings/method00-seeds0000000-0000004.json": [["report", "run", "--out", "r.html", "--json"]],
    "data.npz": [["rank", "net.py:build", "data.npz", "--out", "o.csv", "--json"]],
    "packed.npz": [["rank", "net.py:build", "packed.npz", "--out", "o.csv"]],
    "table.csv": [["rank", "net.py:build", "table.csv", "--out", "o.csv"]],
    "table.parquet": [["rank", "net.py:build", "table.parquet", "--out", "o.csv"]],
    "images/a/0.png": [["rank", "net.py:build", "imagefolder:images", "--out", "o.csv"]],
    "images/labels.csv": [["rank", "net.py:build", "imagefolder:images", "--out", "o.csv"]],
    "weights.safetensors": [["inspect", "net.py:build", "--weights", "weights.safetensors", "--shape", "1,4,4"]],
    "weights.pt": [["inspect", "net.py:build", "--weights", "weights.pt", "--shape", "1,4,4"]],
    "scripted.pt": [["inspect", "scripted.pt", "--shape", "1,4,4"]],
    "program.pt2": [["inspect", "program.pt2", "--shape", "1,4,4"]],
    "net.onnx": [["inspect", "net.onnx", "--shape", "1,4,4"]],
    "unnerve.toml": [["rank", "net.py:build", "data.npz", "--out", "o.csv"]],
}

SEALED = tuple(f"run/{name}" for name in ("campaign", "seeds", "shards", "stability", "smallest_changes"))
"""Beginnings of the names of files of which every bit counts."""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one sound file of every kind that is read."""
    folder = tmp_path_factory.mktemp("workshop")
    (folder / "net.py").write_text(NET)
    chance = np.random.default_rng(3)
    inputs = chance.random((12, 1, 4, 4), dtype=np.float32)
    labels = np.zeros(12, dtype=np.int64)
    np.savez(folder / "data.npz", x=inputs, y=labels)
    np.savez_compressed(folder / "packed.npz", x=(inputs * 255).astype(np.uint8), y=labels)
    names = [f"f{place}" for place in range(16)]
    rows = [",".join([*names, "label"]), *(",".join([*map(str, one.ravel()), "0"]) for one in inputs)]
    (folder / "table.csv").write_text("\n".join(rows))
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: inputs.reshape(12, 16)[:, place] for place, name in enumerate(names)}
    pq.write_table(pa.table({**columns, "label": labels}), folder / "table.parquet")
    (folder / "images" / "a").mkdir(parents=True)
    for place in range(3):
        Image.fromarray(chance.integers(0, 255, (4, 4), dtype=np.uint8)).save(folder / f"images/a/{place}.png")
    (folder / "images/labels.csv").write_text("file,label\na/0.png,0\na/1.png,1\na/2.png,2\n")
    (folder / "unnerve.toml").write_text("[defaults]\nscore = 'gini'\n")
    _make_models(folder)
    data = unnerve.examples(str(folder / "data.npz"))
    unlabelled = unnerve.examples(data.batch(range(12)).inputs)
    chosen = {"region": "linf:1", "inputs": 8, "shard": 4}
    found = unnerve.hunt(f"{folder}/net.py:build", unlabelled, "pgd:steps=4", str(folder / "run"), **chosen)
    assert found.findings.num_rows >= 4, "shards without findings would have little to be damaged"
    return folder


def _make_models(folder: Path) -> None:
    space: dict[str, Callable[[], nn.Module]] = {}
    exec(NET, space)  # noqa: S102 - our own, above
    net = space["build"]()
    save_file(net.state_dict(), folder / "weights.safetensors")
    torch.save(net.state_dict(), folder / "weights.pt")
    example = torch.zeros(2, 1, 4, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch, about torch
        torch.jit.trace(net, example).save(folder / "scripted.pt")
        torch.export.save(torch.export.export(net, (example,)), folder / "program.pt2")
        torch.onnx.export(net, (example,), str(folder / "net.onnx"), dynamo=False, input_names=["x"])


STRANGE = [b"\0", b"NaN", b"1e999", b"-1", b"[" * 5000, b"9" * 400, b"\xff\xfe", b'"', b"../../x", b"null"]


@st.composite
def damages(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Draw a way to damage bytes: flipped bits, cuts, holes, strange text, parts that change places."""
    kind = draw(st.sampled_from(["bit", "cut", "hole", "insert", "swap", "double", "empty", "text"]))
    first, second = draw(st.floats(0, 1)), draw(st.floats(0, 1))
    strange = draw(st.sampled_from(STRANGE))

    def damaged(data: bytes) -> bytes:
        start, stop = sorted((int(first * len(data)), int(second * len(data))))
        if kind == "bit" and data:
            place = min(start, len(data) - 1)
            return data[:place] + bytes([data[place] ^ (1 << int(second * 7))]) + data[place + 1 :]
        hole = data[:start] + bytes(stop - start) + data[stop:]
        made = {"cut": data[:start], "hole": hole, "insert": data[:start] + strange + data[start:]}
        made |= {"swap": data[stop:] + data[start:stop] + data[:start], "double": data + data, "empty": b""}
        made |= {"text": data[:start] + strange + data[start + len(strange) :]}
        return made.get(kind, data)

    return damaged


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    made = Commands()
    yield made
    made.close()


@dataclass(frozen=True)
class Bench:
    """Where files are damaged and read."""

    workshop: Path
    commands: Commands
    place: Path
    tries: Tries

    def check(self, name: str, reader: list[str], damage: Callable[[bytes], bytes]) -> None:
        folder = self.place / f"try{self.commands.runs}"
        shutil.copytree(self.workshop, folder)
        self.tries.made += 1
        try:
            file = folder / name
            before = file.read_bytes()
            after = damage(before)
            file.write_bytes(after)
            answer = self.commands.run(reader, folder)
            said = complaint(answer, reader) or believed(name, before, after, answer["code"])
            self.tries.failed += said is not None
            assert said is None, f"{name}, {' '.join(reader)}: {said}"
        finally:
            shutil.rmtree(folder)


def believed(name: str, before: bytes, after: bytes, code: int) -> str | None:
    """Say so if a file under a seal was changed and believed all the same."""
    if code != 0 or before == after or not name.startswith(SEALED):
        return None
    if name.endswith(".json"):
        with suppress(ValueError):  # other spaces are no other content
            return None if json.loads(after) == json.loads(before) else "it was changed, and believed"
    return "it was changed, and believed"


@pytest.fixture
def bench(workshop: Path, commands: Commands, tmp_path_factory: pytest.TempPathFactory, tries: Tries) -> Bench:
    return Bench(workshop, commands, tmp_path_factory.getbasetemp(), tries)


CASES = st.sampled_from([(name, reader) for name, readers in READERS.items() for reader in readers])
TRIES = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
    "print_blob": True,
}


@pytest.mark.tried("damaged files")
@settings(max_examples=15, derandomize=True, database=None, **TRIES)  # type: ignore[arg-type]
@given(case=CASES, damage=damages())
def test_a_few_damaged_files(
    case: tuple[str, list[str]],
    damage: Callable[[bytes], bytes],
    bench: Bench,
) -> None:
    bench.check(*case, damage)


@pytest.mark.soak
@pytest.mark.tried("damaged files")
@settings(max_examples=2000, derandomize=False, **TRIES)  # type: ignore[arg-type]
@given(case=CASES, damage=damages())
def test_thousands_of_damaged_files(
    case: tuple[str, list[str]],
    damage: Callable[[bytes], bytes],
    bench: Bench,
) -> None:
    bench.check(*case, damage)


def test_sound_files_are_read(workshop: Path, commands: Commands, tmp_path: Path) -> None:
    for readers in READERS.values():
        for reader in readers:
            folder = tmp_path / f"sound{commands.runs}"
            shutil.copytree(workshop, folder)
            answer = commands.run(reader, folder)
            assert answer["code"] == 0, f"{reader}: {answer['err']}"


def test_the_options_file_is_read(workshop: Path, commands: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "defaults"
    shutil.copytree(workshop, folder)
    options = folder / "unnerve.toml"
    options.write_text(options.read_text().replace("gini", "ginni"))
    (reader,) = READERS["unnerve.toml"]
    answer = commands.run(reader, folder)
    assert (answer["code"], answer["out"]) == (2, "")
    assert "unknown score 'ginni'; did you mean gini" in answer["err"]
