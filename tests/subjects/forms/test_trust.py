"""Archives of torch from strangers: opened only where that cannot run code, or where the user says so."""

import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.subjects.forms.hostile import EXPORTED, changed, exported, hostile_exported, hostile_scripted
from unnerve.cli.main import main
from unnerve.core.errors import InvalidModel
from unnerve.subjects.forms._size_expressions import is_size_expression
from unnerve.subjects.models import model

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.zeros(2, 1, 28, 28)


@pytest.mark.parametrize("kind", EXPORTED)
def test_programs_that_could_run_code_are_refused(kind: str, tmp_path: Path) -> None:
    path = hostile_exported(tmp_path / "net.pt2", kind, str(tmp_path / "made"))
    with pytest.raises(
        InvalidModel, match=rf"refused, since loading it could run code .*{re.escape(EXPORTED[kind][1])}"
    ):
        model(path).observe(X)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", ["sample inputs", "weights", "size"])
def test_they_do_run_it_if_they_are_trusted(kind: str, tmp_path: Path) -> None:
    path = hostile_exported(tmp_path / "net.pt2", kind, str(tmp_path / "made"))
    with pytest.raises(InvalidModel):
        model(path, trust=True).observe(X)
    assert (tmp_path / "made").exists()


def test_sample_inputs_that_unpack_to_too_much_are_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A megabyte of zeros is a kilobyte in the file."""
    stored, packed = BytesIO(), BytesIO()
    torch.save(torch.zeros(2**18), stored)
    with zipfile.ZipFile(stored) as plain, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as small:
        for name in plain.namelist():
            small.writestr(name, plain.read(name))
    path = exported(tmp_path / "net.pt2")
    changed(path, lambda records: records.update({"data/sample_inputs/model.pt": packed.getvalue()}))
    monkeypatch.setattr("unnerve.subjects.forms._exported_check.torch.load", lambda *_, **__: pytest.fail("unpacked"))
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 2**19)
    with pytest.raises(InvalidModel, match=r"its sample inputs: what is compressed in it must unpack to <= 524,288"):
        model(path)


def test_honest_programs_are_opened(tmp_path: Path) -> None:
    path = exported(tmp_path / "net.pt2")
    assert torch.equal(model(path).observe(X).logits, model(path, trust=True).observe(X).logits)


def test_records_that_readers_see_differently_are_refused(tmp_path: Path) -> None:
    path = exported(tmp_path / "net.pt2")
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(next(name for name in file.namelist() if name.endswith("/version")), b"4")
    with pytest.raises(InvalidModel, match="it has records that readers see differently"):
        model(path)


def test_scripts_that_write_files_are_refused(tmp_path: Path) -> None:
    path = hostile_scripted(tmp_path / "net.pt", str(tmp_path / "made"))
    with pytest.raises(InvalidModel, match=r"refused, since .*: its program has 'save' in it; `trust` opens it"):
        model(path).observe(X)
    assert not (tmp_path / "made").exists()
    model(path, trust=True, outputs="logits").observe(X)
    assert (tmp_path / "made").exists()


def test_scripts_with_operators_of_other_libraries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.jit.save(torch.jit.script(nn.Flatten()), str(path))
    with zipfile.ZipFile(path) as file:
        name = next(name.partition("/")[2] for name in file.namelist() if "/code/" in name and name.endswith(".py"))
    whole = path.read_bytes()
    for text, reason in ((b"ops.image.read_file(x)", "(image)"), (b"__torch__.torch.classes.rnn.Cell", "(classes)")):
        path.write_bytes(whole)
        changed(path, lambda records, text=text: records.update({name: records[name] + b"\n# " + text}))  # type: ignore[misc]
        with pytest.raises(InvalidModel, match=re.escape(f"its program uses operators of other libraries {reason}")):
            model(path)


def test_the_command_names_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = hostile_exported(tmp_path / "net.pt2", "sample inputs", str(tmp_path / "made"))
    assert main(["inspect", str(path)]) == 2
    shown = capsys.readouterr().err
    assert "--trust opens it all the same" in shown
    assert shown.count("\n") == 1
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "text",
    [
        "Symbol('s77', positive=True, integer=True)",
        "Mul(Integer(2), Symbol('s0', integer=True))",
        "s0*2 + 1 - FloorDiv(s1, 3)",
        "Pow(Symbol('u0'), Integer(2))",
        "s0**-2 <= 7",
        "Max(1, Mod(s0, 8))",
    ],
)
def test_sizes(text: str) -> None:
    assert is_size_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "Symbol('s0').__class__",
        "Symbol('x.y')",
        "(lambda: 1)()",
        "[s0 for s0 in Max]",
        "Pow(9, Pow(9, 9))",
        "s0**1000000000",
        "9" * 100,
        "open('s1')",
        "preview(s0)",
        "S('s1')",
        "Symbol(s0 if True else 's1', 's2')",
        "f'{s0}'",
        "(" * 1000 + ")" * 1000,
        "",
    ],
)
def test_what_is_no_size(text: str) -> None:
    assert not is_size_expression(text)
