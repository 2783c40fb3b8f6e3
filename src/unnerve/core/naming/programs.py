"""The program of a function: what it does, and what it names beside it in its file."""

import ast
import dis
import functools
import inspect
import sysconfig
import textwrap
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

__all__ = ["PLAIN", "held", "is_held", "is_installed", "named_beside", "program", "unwrapped"]

PLAIN = (bool, int, float, str, tuple)
"""Values that are known by how they are written."""

_SINGLE = (bool, int, float, str, type(None))
_CONTAINERS = (tuple, list, dict, set, frozenset)
_LIBRARIES = tuple({sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")})


def program(function: FunctionType) -> str:
    """Return the program of a function, the same for any comments and layout."""
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):  # typed into an interpreter, or a lambda in the middle of a call
        code = function.__code__
        constants = [one for one in code.co_consts if isinstance(one, PLAIN)]
        return f"{code.co_code.hex()}{constants!r}{code.co_names!r}"


def unwrapped(value: Any) -> list[FunctionType]:
    """Return the functions inside a static or class method or a property; none of anything else."""
    if isinstance(value, staticmethod | classmethod):
        inner: tuple[Any, ...] = (value.__func__,)
    elif isinstance(value, property):
        inner = (value.fget, value.fset, value.fdel)
    else:
        inner = (value.func,) if isinstance(value, functools.cached_property) else ()
    return [one for one in inner if inspect.isfunction(one)]


def is_held(value: Any) -> bool:
    """Say whether a value is a tuple, list, dictionary or set that holds nothing but plain values.

    What else it might hold may be written with its address, and otherwise in every process.
    """
    if not isinstance(value, _CONTAINERS):
        return False
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return all(isinstance(one, _SINGLE) or is_held(one) for one in parts)


def held(value: Any) -> str:
    """Return such a value in words; sets have an order of their own in every process."""
    return f"{type(value).__name__}{sorted(map(repr, value))}" if isinstance(value, set | frozenset) else repr(value)


def is_installed(function: FunctionType) -> bool:
    """Say whether a function is one of an installed library, which is told by its version."""
    return function.__code__.co_filename.startswith(_LIBRARIES)


def named_beside(functions: Iterable[FunctionType]) -> Iterator[str]:
    """Yield programs and plain values that functions name in their own file, and so on from function to function.

    Of installed libraries nothing is followed. A value that one of the functions sets anew, such as a counter, is no
    part of a program.
    """
    followed = [one for one in map(inspect.unwrap, functions) if not is_installed(one)]
    known = {one.__code__ for one in followed}
    for function in followed:  # grows meanwhile
        for name in sorted(_globals(function, "LOAD_GLOBAL")):
            value = _plainly(function.__globals__.get(name))
            if value is None or value.__globals__ is not function.__globals__:
                continue
            if value.__code__ not in known:
                known.add(value.__code__)
                followed.append(value)
                yield f"{name}:{program(value)}"
    written = {name for one in followed for name in _globals(one, "STORE_GLOBAL")}
    for function in followed:
        for name in sorted(_globals(function, "LOAD_GLOBAL") - written):
            value = function.__globals__.get(name)
            if isinstance(value, _SINGLE[:-1]) or is_held(value):
                yield f"{name}={held(value)}"


def _plainly(value: Any) -> FunctionType | None:
    """Return a function without what decorates it; None of what is none: other things may raise when they are asked."""
    if not isinstance(value, FunctionType | functools._lru_cache_wrapper):
        return None
    found = inspect.unwrap(value)
    return found if inspect.isfunction(found) else None


def _globals(function: FunctionType, operation: str) -> set[str]:
    """Return the names of its module that a function reads or sets, functions inside it included."""
    found, codes = set[str](), [function.__code__]
    while codes:
        one = codes.pop()
        codes += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
        found |= {str(step.argval) for step in dis.get_instructions(one) if step.opname == operation}
    return found
