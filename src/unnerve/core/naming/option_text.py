"""Settings as options of the command: what stands behind ``--normalise`` for a pair of means and deviations."""

from collections.abc import Mapping
from dataclasses import Field, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from unnerve.core.errors import UserError
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.naming.keywords import default_of

__all__ = ["Written", "changed", "method_text", "option_text", "option_words", "written"]


class Written(NamedTuple):
    """Settings in words.

    Parameters
    ----------
    options : dict of str to str or True
        Those that differ from their defaults, by name; True is a switch.
    only_in_python : tuple of str
        Names of those whose values no command can name, such as a tensor.
    """

    options: dict[str, str | bool]
    only_in_python: tuple[str, ...]


def changed(settings: Any, usual: Mapping[str, Any] | None = None) -> Written:
    """Write the settings that differ from their defaults; fields that are no options are left out.

    Parameters
    ----------
    settings : dataclass
        A field whose metadata has a ``kind`` may hold a method of that kind.
    usual : dict of str to object
        Defaults of a verb, where they differ from those of the settings.
    """
    known = [one for one in fields(settings) if one.metadata.get("option", True)]
    defaults = {one.name: (usual or {}).get(one.name, default_of(one)) for one in known}
    differing = [one for one in known if _differs(getattr(settings, one.name), defaults[one.name])]
    return written({one.name: _field_text(one, getattr(settings, one.name)) for one in differing})


def written(texts: Mapping[str, str | bool | None]) -> Written:
    """Return options by name, and apart from them the names of those that have no text."""
    return Written(
        {name: text for name, text in texts.items() if text is not None},
        tuple(name for name, text in texts.items() if text is None),
    )


def option_text(value: object) -> str | bool | None:
    """Write a plain value, or a sequence of such, as the command reads it; None if it cannot be written.

    Parts of a sequence stand with commas between them; sequences of sequences with ``/``.

    Examples
    --------
    >>> option_text(((0.49, 0.48), (0.25, 0.24)))
    '0.49,0.48/0.25,0.24'
    """
    if isinstance(value, bool):
        return value or None  # no option of the command switches anything off
    if isinstance(value, Integral | str | Path):
        return str(value)
    if isinstance(value, Real):
        exact = float(value)
        return f"{exact:g}" if float(f"{exact:g}") == exact else repr(exact)
    if not isinstance(value, tuple | list):
        return None
    parts = [option_text(one) for one in value]
    between = "/" if any(isinstance(one, tuple | list) for one in value) else ","
    return between.join(map(str, parts)) if parts and None not in parts else None


def method_text(kind: str, method: object) -> str | None:
    """Write a method, or a sequence of them, as the command reads it; None for one that another process cannot find."""
    if isinstance(method, tuple | list):
        texts = [method_text(kind, one) for one in method]
        return ",".join(text for text in texts if text is not None) if None not in texts else None
    if isinstance(method, str):
        return method
    try:
        text = command_text(method)
        found = describe(build(kind, text)) == describe(method)
    except UserError:
        return None
    # Read back and compared: a command is shown only if it leads to the very same method.
    return text if found and "__main__:" not in text else None


def option_words(options: Mapping[str, str | bool]) -> list[str]:
    """Return options as words of a command line: ``--limit 100 --quantised``."""
    # A word of Python's own, such as from, has an underscore behind it where it names an argument.
    named = {f"--{name.rstrip('_').replace('_', '-')}": text for name, text in options.items()}
    return [word for name, text in named.items() for word in ([name] if text is True else [name, str(text)])]


def _differs(value: object, usual: object) -> bool:
    # Values that only Python has, such as arrays, need not compare to one truth.
    return value is not usual and (type(value) is not type(usual) or bool(value != usual))


def _field_text(field: "Field[Any]", value: object) -> str | bool | None:
    kind = field.metadata.get("kind")
    plain = option_text(value)
    return method_text(kind, value) if kind is not None and plain is None else plain
