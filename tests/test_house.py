"""The rules of the house that no other tool checks."""

import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer

import unnerve
from unnerve.cli.main import app
from unnerve.core.catalogue import KINDS, find, names

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "unnerve"
FILES = sorted(path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
METHODS = [(kind, name) for kind in KINDS for name in names(kind)]
VERBS = tuple(vars(typer.main.get_command(app))["commands"])


def where(kind: str, name: str) -> Path:
    """Return a method's place, e.g. ``measure/scores/pd.py`` or ``papers/nsatp/nsatp.py``."""
    path = import_module(find(kind, name).__module__).__file__
    assert path is not None
    return Path(path).relative_to(SOURCE)


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_method_has_a_test_at_the_same_place(kind: str, name: str) -> None:
    place = where(kind, name)
    assert (ROOT / "tests" / place.parent / f"test_{place.name}").is_file()


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_method_has_a_docstring(kind: str, name: str) -> None:
    text = inspect.getdoc(find(kind, name)) or ""
    assert text.splitlines()[0].endswith("."), "the first line is a sentence"


# Data sets are files and formats, not published methods.
@pytest.mark.parametrize(("kind", "name"), [one for one in METHODS if one[0] != "data set"])
def test_every_method_has_a_reference(kind: str, name: str) -> None:
    text = inspect.getdoc(find(kind, name)) or ""
    assert re.search(r"^References\n----------\n\S", text, re.MULTILINE)


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_method_has_a_line_in_the_reference(kind: str, name: str) -> None:
    text = (ROOT / "docs" / "reference" / "methods.md").read_text()
    assert re.search(rf"^\| *`{name}` *\|", text, re.MULTILINE), f"docs/reference/methods.md needs a row for {name}"


@pytest.mark.parametrize("room", sorted({rooms for kinds in KINDS.values() for rooms in kinds}))
def test_every_file_and_package_of_a_room_is_a_method(room: str) -> None:
    folder = SOURCE / room.replace(".", "/")
    files = {path.stem for path in folder.glob("*.py")}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    public = {name for name in files | packages if not name.startswith("_")}
    assert public <= {name for kind, rooms in KINDS.items() if room in rooms for name in names(kind)}


def test_every_room_has_its_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    listed = {
        room.strip()
        for contract in contracts
        if contract["type"] == "layers"
        for layer in contract["layers"]
        for room in re.split(r"[|:]", layer)
    }
    folders = {path.parent for path in SOURCE.rglob("*.py") if path.name != "__init__.py"} - {SOURCE}
    rooms = {".".join(folder.relative_to(SOURCE.parent).parts) for folder in folders}
    assert rooms - listed == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long_or_badly_named(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    assert path.stem.strip("_") not in {"utils", "util", "misc", "common", "helpers", "base", "manager"}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_begins_with_a_line_about_itself(path: Path) -> None:
    assert re.match(r'r?"""[^\n]+', path.read_text())


def without_torch(code: str) -> None:
    check = "print('imported:', *{'torch', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{check}"], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "imported:"


def test_importing_unnerve_does_not_import_torch() -> None:
    without_torch("import unnerve")


def test_help_does_not_import_torch() -> None:
    calls = [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)]
    without_torch(f"from unnerve.cli.main import main\nfor given in {calls}: assert main(given) == 0")


def test_public_names_are_found_when_they_are_used() -> None:
    for name in unnerve.__all__:
        assert getattr(unnerve, name) is not None
    with pytest.raises(AttributeError, match="module 'unnerve' has no attribute 'nerve'"):
        _ = unnerve.nerve
