"""How a run came about: by which verb, with which settings, on what; and the command that repeats it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar

from unnerve.core.data.openings import Opening, options_from_json, texts_from_json
from unnerve.core.naming.option_text import changed, option_text, option_words, written

__all__ = ["Call", "Provenance", "call_from_json", "called", "called_with"]

R = TypeVar("R", bound="_Made")


class _Made(Protocol):
    """A result, which is a dataclass, that says how it came about."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def provenance(self) -> "Provenance | None": ...


@dataclass(frozen=True)
class Call:
    """A verb that was called, with its settings.

    Parameters
    ----------
    verb : str
        Of the command: ``hunt``.
    settings : dict of str to str or True
        Those that differ from the verb's defaults, by name.
    only_in_python : tuple of str
        Names of settings that no command can repeat, such as a method that is an object.
    """

    verb: str
    settings: Mapping[str, str | bool] = field(default_factory=dict)
    only_in_python: tuple[str, ...] = ()

    def but(self, **settings: str | bool) -> "Call":
        """Return the same with other settings."""
        unsaid = tuple(name for name in self.only_in_python if name not in settings)
        return replace(self, settings={**self.settings, **settings}, only_in_python=unsaid)


@dataclass(frozen=True)
class Provenance:
    """How a run came about, so that it can be repeated.

    Parameters
    ----------
    call : Call
    model : Opening
    data : Opening or None
        None if the verb was given none.
    """

    call: Call
    model: Opening
    data: Opening | None = None

    def but(self, **settings: str | bool) -> "Provenance":
        """Return the same with other settings of the verb."""
        return replace(self, call=self.call.but(**settings))

    @property
    def only_in_python(self) -> tuple[str, ...]:
        """What no command can repeat: ``model``, ``data``, names of settings; empty if a command repeats the run."""
        openings = {"model": self.model} if self.data is None else {"model": self.model, "data": self.data}
        objects = tuple(name for name, one in openings.items() if one.source is None)
        options = (name for one in openings.values() for name in one.only_in_python)
        return (*objects, *self.call.only_in_python, *options)

    def words(self) -> list[str]:
        """Return the command that repeats the run, word by word; empty if there is none."""
        # Half a command would run, and test something else: better none, with the reason beside it.
        if self.only_in_python:
            return []
        openings = [self.model] if self.data is None else [self.model, self.data]
        options = {
            name: text for one in (self.call.settings, *(o.options for o in openings)) for name, text in one.items()
        }
        return ["unnerve", self.call.verb, *(str(one.source) for one in openings), *option_words(options)]


def called(verb: Callable[..., Any], own: Mapping[str, str | bool | None], *groups: Any) -> Call:
    """Return a call of a verb with the settings that differ from its defaults.

    Parameters
    ----------
    verb : callable
        The function of the verb; its signature has all defaults.
    own : dict of str to str, True or None
        Those of its own parameters that were given, in words; None where no words say it.
    *groups : dataclasses
        Its settings.
    """
    usual = {name: one.default for name, one in inspect.signature(verb).parameters.items()}
    parts = [written({name: text for name, text in own.items() if text is None or text != option_text(usual[name])})]
    parts += [changed(group, usual) for group in groups]
    settings = {name: text for part in parts for name, text in part.options.items()}
    return Call(verb.__name__, settings, tuple(name for part in parts for name in part.only_in_python))


def called_with(result: R, **settings: str | bool) -> R:
    """Return a result whose verb was called with further settings, such as where a command writes to."""
    return replace(result, provenance=result.provenance and result.provenance.but(**settings))


def call_from_json(value: Mapping[str, Any]) -> Call:
    """Read what ``asdict`` made of a call; raises KeyError, TypeError or ValueError."""
    (verb,) = texts_from_json([value["verb"]])
    return Call(verb, options_from_json(value["settings"]), texts_from_json(value["only_in_python"]))
