"""Things in a user's own Python: ``FILE.py:name`` or ``package.module:name``."""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from unnerve.core.errors import UserError

__all__ = ["called_plainly", "file_modules", "file_of", "looks_like_python", "named"]

_PREFIX = "unnerve_user_"
_AS_NAMED = "__unnerve_file__"
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
        module = _file(Path(home)) if home.endswith(".py") else _package(home)
    except Exception as problem:
        raise wrong(f"importing {home} raised {type(problem).__name__}: {problem}") from problem
    if not hasattr(module, name):
        public = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise wrong(f"{home} has no '{name}'; it has {', '.join(public) or 'nothing callable'}")
    return getattr(module, name)


def called_plainly(value: Any) -> bool:
    """Say whether a callable can be called without arguments (a factory)."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def file_of(module: ModuleType | None) -> tuple[str, bytes] | None:
    """Return a user's file as the user named it, and what stood in it, if a module was imported from it by its path."""
    named_so: tuple[str, bytes] | None = getattr(module, _AS_NAMED, None)
    return named_so


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
    setattr(module, _AS_NAMED, (str(path), path.read_bytes()))
    sys.modules[spec.name] = module  # dataclasses and pickling look their module up
    spec.loader.exec_module(module)
    return module
