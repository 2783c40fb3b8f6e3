"""Where a user's method comes from: a name by which it is found again, and a hash that changes when it does."""

import hashlib
import inspect
import sys
import warnings
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.callables import file_of, looks_like_python, named

__all__ = ["loaded", "origin"]

_PACKAGES = {"art": "adversarial-robustness-toolbox"}


def origin(thing: Any) -> tuple[str, str]:
    """Return the name and the hash of a function, class or object.

    The name is ``FILE.py:name`` or ``package.module:name`` if it leads to the thing; else what the thing is called,
    which finds nothing.
    """
    kind = _kind(thing)
    file = file_of(kind)
    if thing is not kind or "." in kind.__qualname__:
        return kind.__qualname__.rpartition(".")[2], _hash_of(thing, kind.__module__)
    if file is not None:
        return f"{file[0]}:{kind.__qualname__}", file[1]
    return f"{kind.__module__}:{kind.__qualname__}", _hash_of(thing, kind.__module__)


def loaded(name: str, source: str | None = None) -> tuple[Any, str]:
    """Return the thing that a name leads to, and its hash; if a hash is given, it must be that one."""
    if not looks_like_python(name):
        raise InvalidSetting(
            f"'{name}' exists only in the process that was given it; write it into a file and name it, as in "
            "FILE.py:name"
        )
    home = name.rpartition(":")[0]
    in_file = home.endswith(".py") and Path(home).is_file()
    now = _hashed(Path(home).read_bytes()) if in_file else ""
    thing = _imported(name, now)
    now = now or _hash_of(thing, home)
    if source not in (None, now):
        raise InvalidSetting(f"{name} is no longer what it was: its hash was {source}, and is {now} now")
    return thing, now


@cache
def _imported(name: str, source: str) -> Any:
    """Import what a text names, once for each content of its file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of libraries about libraries
            return named(name, InvalidSetting)
    except InvalidSetting as problem:
        missing = problem.__cause__
        if isinstance(missing, ModuleNotFoundError) and missing.name and missing.name != name.rpartition(":")[0]:
            package = missing.name.partition(".")[0]
            hint = f"pip install {_PACKAGES.get(package, package)}"
            raise InvalidSetting(f"{name} needs the package {package}, which is not here: {hint}") from missing
        raise


def _kind(thing: Any) -> Any:
    """Return the function or class that an attack is, or is made of."""
    owner = thing.func if isinstance(thing, partial) else thing
    return owner if inspect.isroutine(owner) or inspect.isclass(owner) else type(owner)


def _hash_of(thing: Any, home: str) -> str:
    return _hashed(_text(sys.modules.get(home)), _text(_kind(thing)), *_state(thing))


def _text(thing: Any) -> bytes:
    """Return the program around a module, class or function: its whole file; in a script or notebook, its own lines."""
    main = sys.modules.get("__main__")
    module = thing if inspect.ismodule(thing) else sys.modules.get(str(getattr(thing, "__module__", "")))
    file = getattr(module, "__file__", None)
    if module is not main and file is not None and Path(file).is_file():
        return Path(file).read_bytes()
    if inspect.ismodule(thing):
        return b""
    try:
        return inspect.getsource(thing).encode()
    except (OSError, TypeError):  # typed into an interpreter
        code = getattr(thing, "__code__", None)
        return b"" if code is None else code.co_code + repr(code.co_consts).encode()


def _state(thing: Any) -> list[bytes]:
    """Return the settings that an object holds, as far as they can be written down."""
    closed: Mapping[Any, Any] = inspect.getclosurevars(thing).nonlocals if inspect.isfunction(thing) else {}
    if isinstance(thing, partial):
        closed = {**dict(enumerate(thing.args)), **thing.keywords}
    said = [repr(thing), *(f"{key}={value!r}" for key, value in closed.items())]
    # An address in a repr differs in every process, and would make the same function look like another.
    return [one.encode() for one in said if " at 0x" not in one]


def _hashed(*parts: bytes) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
