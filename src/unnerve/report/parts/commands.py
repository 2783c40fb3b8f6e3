"""Command lines, and methods as they are written on them."""

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from unnerve.core.catalogue import describe, find, settings
from unnerve.core.errors import UserError
from unnerve.report.parts.names import printable
from unnerve.report.parts.regions import radius_text

__all__ = ["command_line", "method_text", "shown_command"]


def command_line(words: Iterable[str]) -> str:
    """Return words as one line for a shell, in which nothing is invisible."""
    return shlex.join(printable(word) for word in words)


def shown_command(given: str | None, planned: str, missing: str) -> tuple[str, str]:
    """Return the command that a page shows, and a note on where it comes from.

    Parameters
    ----------
    given : str or None
        The exact command line, if it is known.
    planned : str
        The one made from the plan.
    missing : str
        Options that are no part of the plan.
    """
    if given:
        return printable(given), ""
    return planned, f"From the plan; {missing} are no part of it."


def method_text(method: Mapping[str, Any]) -> str:
    """Write a method as on the command line, with the settings in which it differs from its defaults."""
    chosen = _changed(method)
    return f"{method['name']}:{','.join(chosen)}" if chosen else str(method["name"])


def _changed(method: Mapping[str, Any], kind: str = "hunter") -> list[str]:
    try:
        usual = {key: one.default for key, one in settings(find(kind, str(method["name"]))).items()}
    except (UserError, TypeError):  # a method that is not installed here
        usual = {}
    return [
        f"{key}={_value(value)}"
        for key, value in method.items()
        if key not in ("name", "kind") and not (key in usual and _same(value, usual[key]))
    ]


def _same(value: Any, usual: Any) -> bool:
    if isinstance(value, Mapping):
        return bool({key: one for key, one in value.items() if key != "kind"} == describe(usual))
    return bool(value == usual)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = _changed(value, str(value.get("kind")))
        return f"{value['name']}({','.join(inner)})" if inner else str(value["name"])
    if isinstance(value, float):
        return radius_text(value, exact=True)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
