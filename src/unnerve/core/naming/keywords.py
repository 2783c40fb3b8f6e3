"""Settings as plain keywords: a verb's options are written once, as the fields of its settings."""

import functools
import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

from unnerve.core.errors import UnknownName

__all__ = ["default_of", "documented", "flat"]

T = TypeVar("T")


def flat(*placed: str, **defaults: Any) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let the fields of a function's settings be given as its own keywords.

    The settings are the function's keyword-only parameters whose types are dataclasses. Each may be given whole, by
    its name, or field by field; ``help`` and notebooks show the fields. A field that several settings have, such as
    the random seed, is given once and goes to all of them.

    Parameters
    ----------
    *placed : str
        Fields that may also be given by their place, behind the function's own parameters.
    **defaults
        Of fields, where the function's differ from those of the settings.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     inputs: int = 100
    >>> @flat(inputs=20)
    ... def hunt(model, *, size: Size):
    ...     return size
    >>> hunt("a model"), hunt("a model", inputs=5)
    (Size(inputs=20), Size(inputs=5))
    """

    def flattened(verb: Callable[..., T]) -> Callable[..., T]:
        parameters = inspect.signature(verb).parameters
        hints = typing.get_type_hints(verb)
        groups = {
            name: hints[name]
            for name, one in parameters.items()
            if one.kind is inspect.Parameter.KEYWORD_ONLY and is_dataclass(hints.get(name))
        }
        own = sum(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in parameters.values())

        @functools.wraps(verb)
        def called(*arguments: Any, **given: Any) -> T:
            by_place = dict(zip(placed, arguments[own:], strict=False))
            if by_place.keys() & given:
                raise TypeError(f"{verb.__name__}() got multiple values for '{min(by_place.keys() & given)}'")
            given |= by_place
            arguments = (*arguments[:own], *arguments[own + len(placed) :])  # Python refuses what is too much
            values = {name: _value(name, group, given, defaults) for name, group in groups.items()}
            for shared in {field.name for group in groups.values() for field in fields(group)}:
                given.pop(shared, None)  # several groups may share a field, such as the random seed
            unknown = next((name for name in given if name not in parameters), None)
            if unknown is not None:
                known = [field.name for group in groups.values() for field in fields(group)]
                raise UnknownName(f"setting of {verb.__name__}", unknown, [*parameters.keys() - groups.keys(), *known])
            return verb(*arguments, **given, **values)

        called.__signature__ = _signature(verb, groups, placed, defaults)  # type: ignore[attr-defined]
        return called

    return flattened


def documented(settings: type) -> dict[str, str]:
    """Return what the docstring of some settings says of each field, as plain text on one line."""
    text = inspect.getdoc(settings) or ""
    body = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in body.splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found |= dict.fromkeys(names, "")
        else:
            for name in names:
                found[name] = f"{found[name]} {line.strip()}".strip()
    return {name: re.sub(r"``|:\w+:`~?[\w.]*?(\w+)`", lambda tag: tag[1] or "", said) for name, said in found.items()}


def default_of(field: "Field[Any]") -> Any:
    """Return the default of a dataclass's field; ``MISSING`` if it has none."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def _value(name: str, group: type, given: dict[str, Any], defaults: Mapping[str, Any]) -> Any:
    """Return a group of settings with what was given of it, whole or field by field."""
    # A group may be named like one of its fields: dropout=0.4 is the rate, dropout=DropoutSettings(...) all of it.
    is_whole = name in given and (name not in _names(group) or isinstance(given[name], group))
    whole = given.pop(name) if is_whole else None
    own = {field.name: given[field.name] for field in fields(group) if field.name in given}
    if whole is not None:
        if own:
            raise TypeError(f"{next(iter(own))} is a field of {name}, which was given whole")
        return whole
    usual = {key: value for key, value in defaults.items() if key in _names(group)}
    return group(**(usual | own))


def _names(group: type) -> Iterable[str]:
    return [field.name for field in fields(group)]


def _signature(
    verb: Callable[..., Any], groups: Mapping[str, type], placed: tuple[str, ...], defaults: Mapping[str, Any]
) -> inspect.Signature:
    own = inspect.signature(verb)
    shown = {name: one for name, one in own.parameters.items() if name not in groups}
    for group in groups.values():
        for field in fields(group):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if field.name in placed else inspect.Parameter.KEYWORD_ONLY
            usual = defaults.get(field.name, default_of(field))
            shown[field.name] = inspect.Parameter(field.name, kind, default=usual, annotation=field.type)
    # The sort is stable: what has a place stands first, in the order in which it is written.
    return own.replace(parameters=sorted(shown.values(), key=lambda one: one.kind))
