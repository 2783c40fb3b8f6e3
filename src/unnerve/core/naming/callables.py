"""Things in a user's own Python: ``FILE.py:name`` or ``package.module:name``."""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from unnerve.core.errors import FROM_OUTSIDE, UserError, raised

__all__ = [
    "called_plainly",
    "file_modules",
    "file_of",
    "looks_like_python",
    "named",
    "neighbours_importable",
    "required_arguments",
]

_PREFIX = "unnerve_user_"
_STAMP = "__unnerve_file__"
_SHAPE = re.compile(r"(?P<home>.+\.py|[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)")


def looks_like_python(text: str) -> bool:
    """Say whether a text has the form of a name in a Python file or module."""
    return _SHAPE.fullmatch(text) is not None


def named(text: str, wrong: type[UserError]) -> Any:
    """Return the object that a text names; every failure is raised as ``wrong`` with one clear line."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise wrong(f"must be FILE.py:name or package.module:name, got '{text}'")
    home, name = match["home"], match["name"]
    if home.endswith(".py") and not Path(home).is_file():
        raise wrong(f"no such file: {home}")
    try:
        with neighbours_importable(text):
            module = _file(Path(home)) if home.endswith(".py") else _package(home)
    except FROM_OUTSIDE:
        raise
    # Also what is no Exception: a script without a main guard may end with sys.exit(), which must not end the command.
    except BaseException as problem:
        raise wrong(f"importing {home} raised {raised(problem)}") from problem
    if not hasattr(module, name):
        # A misspelt name is the usual slip, and the right one is then in this list.
        public = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise wrong(f"{home} has no '{name}'; it has {', '.join(public) or 'nothing callable'}")
    return getattr(module, name)


def called_plainly(value: Any) -> bool:
    """Say whether a callable can be called without arguments (a factory)."""
    return required_arguments(value) == ()


def required_arguments(value: Any) -> tuple[str, ...] | None:
    """Return the names of the arguments that a callable cannot be called without; None if it does not say."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    free = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return tuple(one.name for one in parameters if one.default is one.empty and one.kind not in free)


@contextmanager
def neighbours_importable(text: str) -> Iterator[None]:
    """Let the file that a text names import the files beside it, while the context lasts.

    Afterwards ``sys.path`` is as it was, and what was imported from that folder is known only to those who imported
    it: two models in two folders may each have a ``layers.py`` of their own.

    Parameters
    ----------
    text : str
        ``FILE.py:name``; other texts change nothing.
    """
    match = _SHAPE.fullmatch(text)
    if match is None or not match["home"].endswith(".py"):
        yield
        return
    folder, before = Path(match["home"]).resolve().parent, set(sys.modules)
    # First, not last: the model's own layers.py must win against an installed package of that name.
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if not name.startswith(_PREFIX) and _stands_in(sys.modules[name], folder):
                del sys.modules[name]


def file_of(owner: Any) -> tuple[str, str] | None:
    """Return the file of a user's class or function as the user named it, and the hash of what stood in it.

    None for what was not imported by the path of its file. It is known in other processes too.
    """
    stamp: tuple[str, str] | None = getattr(owner, "__dict__", {}).get(_STAMP)
    return stamp


def file_modules() -> list[ModuleType]:
    """Return what was imported from users' files by path: another process cannot import it by its name."""
    return [module for name, module in sys.modules.items() if name.startswith(_PREFIX)]


def _package(name: str) -> ModuleType:
    """Import a module as ``python -m`` would: the current folder counts."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(here)


def _file(path: Path) -> ModuleType:
    # Files of one name in two folders, or one file before and after a change, are modules of their own.
    digest = hashlib.blake2b(str(path.absolute()).encode() + path.read_bytes(), digest_size=6).hexdigest()
    spec = importlib.util.spec_from_file_location(f"{_PREFIX}{path.stem}_{digest}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickling look their module up
    spec.loader.exec_module(module)
    _stamp(module, path)
    return module


def _stands_in(module: ModuleType, folder: Path) -> bool:
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(place is not None and Path(place).resolve().is_relative_to(folder) for place in places)


def _stamp(module: ModuleType, path: Path) -> None:
    """Note in classes and functions where they come from: who unpickles them has no such module."""
    stamp = str(path), hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest()
    for value in vars(module).values():
        if getattr(value, "__module__", None) == module.__name__ and (
            inspect.isclass(value) or inspect.isfunction(value)
        ):
            setattr(value, _STAMP, stamp)
