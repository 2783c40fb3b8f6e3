"""The rules of the house that no other tool checks."""

import ast
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
from unnerve.cli.app import app
from unnerve.core.naming.catalogue import KINDS, find, names

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "unnerve"
FILES = sorted(path for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
METHODS = [(kind, name) for kind in KINDS for name in names(kind)]
FIRST_LINE = re.compile(r'r?"""[^\n]+')
CHECKS = tuple(
    f"check_{kind}"
    for kind in ("score", "coverage", "reaction", "perturbation", "region", "oracle", "search", "hunter")
)
VERBS = tuple(vars(typer.main.get_command(app))["commands"])


def where(kind: str, name: str) -> Path:
    """Return a method's place, e.g. ``measure/scores/pd.py`` or ``papers/nsatp/nsatp.py``."""
    path = import_module(find(kind, name).__module__).__file__
    assert path is not None
    return Path(path).relative_to(SOURCE)


def said(kind: str, name: str) -> str:
    """Return a method's docstring."""
    return inspect.getdoc(find(kind, name)) or ""


def test_every_method_has_a_test_at_the_same_place() -> None:
    places = [where(kind, name) for kind, name in METHODS]
    missing = [place for place in places if not (ROOT / "tests" / place.parent / f"test_{place.name}").is_file()]
    assert not missing, f"without a test file: {', '.join(map(str, missing))}"


def test_every_method_has_a_docstring() -> None:
    silent = [name for kind, name in METHODS if not said(kind, name).partition("\n")[0].endswith(".")]
    assert not silent, f"the first line of the docstring is no sentence: {', '.join(silent)}"


def test_what_users_call_has_an_example() -> None:
    checks = [import_module(f"unnerve.testing.{path.stem}") for path in sorted((SOURCE / "testing").glob("[a-z]*.py"))]
    called = {f"unnerve.{name}": getattr(unnerve, name) for name in unnerve.__all__ if name != "__version__"}
    called |= {name: one for module in checks for name, one in vars(module).items() if name in CHECKS}
    without = [name for name, one in called.items() if ">>> " not in (inspect.getdoc(one) or "")]
    assert set(CHECKS) <= set(called)
    assert not without, f"the docstring has no example: {', '.join(without)}"


def test_every_method_has_a_reference() -> None:
    published = [one for one in METHODS if one[0] not in ("data set", "model form")]  # those are formats
    section = re.compile(r"^References\n----------\n\S", re.MULTILINE)
    without = [name for kind, name in published if not section.search(said(kind, name))]
    assert not without, f"the docstring has no References: {', '.join(without)}"


def test_every_method_has_a_line_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "methods.md").read_text()
    without = [name for _, name in METHODS if not re.search(rf"^\| *`{name}` *\|", text, re.MULTILINE)]
    assert not without, f"docs/reference/methods.md needs rows for {', '.join(without)}"


def test_every_file_and_package_of_a_room_is_a_method() -> None:
    others = []
    for room in sorted({room for rooms in KINDS.values() for room in rooms}):
        folder = SOURCE / room.replace(".", "/")
        found = {path.stem for path in folder.glob("*.py")} | {
            path.parent.name for path in folder.glob("*/__init__.py")
        }
        methods = {name for kind, rooms in KINDS.items() if room in rooms for name in names(kind)}
        others += [f"{room}/{name}" for name in sorted(found) if not name.startswith("_") and name not in methods]
    assert not others, f"no method is in {', '.join(others)}"


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


def test_no_file_is_too_long_or_badly_named() -> None:
    long = [str(path.relative_to(ROOT)) for path in FILES if len(path.read_text().splitlines()) > 400]
    vague = {"utils", "util", "misc", "common", "helpers", "base", "manager"}
    unnamed = [str(path.relative_to(ROOT)) for path in FILES if path.stem.strip("_") in vague]
    assert not long, f"longer than 400 lines: {', '.join(long)}"
    assert not unnamed, f"names that say nothing: {', '.join(unnamed)}"


def test_no_folder_is_crowded() -> None:
    rooms = {SOURCE / room.replace(".", "/") for rooms in KINDS.values() for room in rooms} | {SOURCE / "cli" / "verbs"}
    folders = {path.parent for path in SOURCE.rglob("*.py")} - rooms
    crowded = {folder: len([path for path in folder.glob("*.py") if path.stem != "__init__"]) for folder in folders}
    full = [f"{folder.relative_to(SOURCE)} ({count})" for folder, count in crowded.items() if count > 20]
    assert not full, f"more than 20 modules, of which some could be a package: {', '.join(sorted(full))}"


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many parameters a function has; ``*args`` and ``**kwargs`` are one each."""
    known = function.args
    own = len(known.posonlyargs) + len(known.args) + len(known.kwonlyargs)
    return own + (known.vararg is not None) + (known.kwarg is not None)


def test_no_function_takes_too_much() -> None:
    verbs = {*unnerve.__all__, *VERBS}
    wide = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        # The parameters of a verb are its options. Only the verb itself has that excuse: the function that its module
        # is named after, and no other of its name.
        excused = [node for node in tree.body if getattr(node, "name", "") == path.stem in verbs]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node not in excused:
                count = parameters(node)
                wide += [f"{path.relative_to(SOURCE)}: {node.name} ({count})"] if count > 8 else []
    assert not wide, f"more than 8 parameters, of which some are a value without a name: {', '.join(wide)}"


def test_parameters_are_counted_whatever_their_kind() -> None:
    (function,) = ast.parse("async def f(a, /, b, *rest, c, **more): ...").body
    assert isinstance(function, ast.AsyncFunctionDef)
    assert parameters(function) == 5


def test_every_file_begins_with_a_line_about_itself() -> None:
    silent = [str(path.relative_to(ROOT)) for path in SOURCE.rglob("*.py") if not FIRST_LINE.match(path.read_text())]
    assert not silent, f"without a line about itself: {', '.join(sorted(silent))}"


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
