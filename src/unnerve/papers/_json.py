"""Frozen dataclasses as JSON and back: results of a reproduction are JSON only in the files that keep them."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

__all__ = ["INLINE", "LATER", "from_json", "to_json"]

Value = TypeVar("Value")

INLINE: Mapping[str, bool] = {"inline": True}
"""Metadata of a field whose own fields are written beside its neighbours', not under its name."""

LATER: Mapping[str, bool] = {"later": True}
"""Metadata of a field with a default that older files lack: the default says that it was not kept."""


def to_json(value: object) -> Any:
    """Return a value as JSON: a dataclass by its fields, a mapping by its keys, a (named) tuple as a list."""
    if is_dataclass(value):
        written: dict[str, Any] = {}
        for field in fields(value):
            part = to_json(getattr(value, field.name))
            written |= part if field.metadata.get("inline") else {field.name: part}
        return written
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(one) for one in value]
    return value


def from_json(kind: type[Value], stored: object) -> Value:
    """Return the value of a type that was written as JSON: the inverse of :func:`to_json`.

    Parameters
    ----------
    kind : type
        A dataclass of dataclasses, tuples, mappings, optional values and plain ones.
    stored : JSON
        Keys that the type does not know are ignored; one that it needs raises KeyError.
    """
    return cast(Value, _value(kind, stored))


def _value(kind: Any, stored: Any) -> object:
    if isinstance(kind, UnionType):  # of one type and None: nothing else is written
        (wanted,) = (one for one in get_args(kind) if one is not NoneType)
        return None if stored is None else _value(wanted, stored)
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**_arguments(kind, stored))
    if get_origin(kind) is tuple:
        first, *rest = get_args(kind)
        kinds = [first] * len(stored) if rest == [...] else [first, *rest]
        return tuple(_value(one, item) for one, item in zip(kinds, stored, strict=True))
    if isinstance(kind, type) and issubclass(kind, tuple):
        make: Callable[..., object] = kind  # a named tuple takes its items one by one, a tuple does not
        return make(*(_value(one, item) for one, item in zip(_hints(kind).values(), stored, strict=True)))
    if get_origin(kind) is Mapping:
        key, one = get_args(kind)
        return {key(name): _value(one, item) for name, item in stored.items()}
    return stored


def _arguments(kind: Any, stored: Mapping[str, Any]) -> dict[str, object]:
    hints = _hints(kind)
    known = [one for one in fields(kind) if one.name in stored or not one.metadata.get("later")]
    return {
        field.name: _value(hints[field.name], stored if field.metadata.get("inline") else stored[field.name])
        for field in known
    }


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
