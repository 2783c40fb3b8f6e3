"""Verbs whose options are the fields of settings: types, defaults and help are written once, with the settings."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, TypeVar

import typer

from unnerve.cli._session import shows_progress
from unnerve.core.naming.keywords import default_of, documented

__all__ = ["Given", "verb"]

T = TypeVar("T")
_TYPES = {"bool": bool, "int": int, "float": float}


class Given:
    """What the user gave, group by group.

    Parameters
    ----------
    values : dict of str to object
        By the name of the field.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def __getitem__(self, group: type[T]) -> T:
        """Return a group of settings."""
        own = {field.name: self.values[field.name] for field in _options(group)}
        # An option that may be repeated arrives as a list, and settings are frozen.
        own = {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}
        if "progress" in {field.name for field in fields(group)}:  # type: ignore[arg-type]
            own["progress"] = shows_progress()
        return group(**own)

    def named(self, group: type) -> dict[str, Any]:
        """Return those fields of a group that were given at all."""
        values = {field.name: self.values[field.name] for field in _options(group)}
        return {name: value for name, value in values.items() if value is not None}


def verb(
    *groups: type, optional: Mapping[type, str] | None = None, **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function: its own parameters, then an option for each field of some settings.

    The function's parameter ``given`` receives them.

    Parameters
    ----------
    *groups : dataclasses
        Their fields become options; help is what their docstrings say, and of a field whose metadata has a ``kind``
        which methods of that kind there are. One that several have becomes one option.
    optional : dict of dataclass to str
        Groups that apply only in some case; their options are unset by default, and help begins with the case.
    **defaults
        Of fields, where the command's differ from those of the settings.
    """
    unset = optional or {}

    def made(function: Callable[..., None]) -> Callable[..., None]:
        own = [one for name, one in inspect.signature(function).parameters.items() if name != "given"]
        shared: dict[str, inspect.Parameter] = {}
        for group in (*groups, *unset):
            said = documented(group)
            for field in _options(group):
                usual = None if group in unset else defaults.get(field.name, default_of(field))
                # The first group that has a field says what it means: rank and its trial both have a random seed, and
                # it is one.
                shared.setdefault(field.name, _option(field, said[field.name], usual, unset.get(group, "")))
        taken = {one.name for one in own}
        parameters = [*own, *(one for one in shared.values() if one.name not in taken)]
        # Typer reads these; the order is that of --help.
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]

        @functools.wraps(function)
        def command(**values: Any) -> None:
            function(**{name: values[name] for name in taken}, given=Given(values))

        # functools.wraps has set __wrapped__, and typer would read the signature of the bare function behind it.
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return made


def _options(group: type) -> list["Field[Any]"]:
    return [field for field in fields(group) if field.metadata.get("option", True)]


def _option(field: "Field[Any]", said: str, usual: Any, case: str) -> inspect.Parameter:
    assert usual is not MISSING, f"{field.name} needs a default to be an option"
    kind = _kind(field, usual)
    # MEAN/STD keeps its capitals.
    text = f"{case}: {said if said[:2].isupper() else said[:1].lower() + said[1:]}" if case else said
    methods = field.metadata.get("kind")
    if methods is not None:
        text = f"{text} Known: {{{methods}}}."
    option = typer.Option(f"--{field.name.replace('_', '-')}", metavar=field.metadata.get("metavar"), help=text)
    usual = list(usual) if isinstance(usual, tuple) else usual
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=usual, annotation=Annotated[kind, option]
    )


def _kind(field: "Field[Any]", usual: Any) -> Any:
    """Return the type of an option: the plainest of those that a field takes; text for everything richer."""
    names = set(re.findall(r"\w+", field.type if isinstance(field.type, str) else _written(field.type)))
    if isinstance(usual, tuple):  # may be repeated
        return list[str]
    plain = next((kind for name, kind in _TYPES.items() if name in names and "str" not in names), str)
    return plain if usual is not None else plain | None


def _written(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
