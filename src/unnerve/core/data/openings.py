"""How a model or data was opened: a value that is kept, compared and written as a command's words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from unnerve.core.naming.option_text import changed

__all__ = [
    "Opening",
    "noted",
    "opening_from_json",
    "opening_of",
    "opening_with",
    "options_from_json",
    "texts_from_json",
]

T = TypeVar("T")
_PLACE = "opening"
"""The attribute of a model, and the field of examples, that holds how they were opened."""


@dataclass(frozen=True)
class Opening:
    """How a model or data was opened.

    Parameters
    ----------
    source : str or None
        As on the command line: ``zoo:lenet5|jpeg:75``, ``imagefolder:DIR,size=128``; None for what exists only in
        Python.
    options : dict of str to str or True
        The fields of :class:`ModelOptions` or :class:`DataOptions` that differ from their defaults, by name.
    only_in_python : tuple of str
        Names of options that no command can repeat.
    files : dict of str to str
        SHA-256 of the files of a model: of its own under ``source``, of others under their option: ``weights``.
    """

    source: str | None = None
    options: Mapping[str, str | bool] = field(default_factory=dict)
    only_in_python: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    def but(self, **options: str | bool) -> "Opening":
        """Return the same with other options."""
        return replace(self, options={**self.options, **options})

    def decisive(self, what: str) -> dict[str, Any]:
        """Return what decides which ``what`` was opened, in words: of a file its content, not where it lies."""
        by_name = {name: f"{what} opened with --{name.replace('_', '-')}" for name in {**self.options, **self.files}}
        by_name["source"] = f"{what} opened from"
        # Moved or renamed, a weights file is the same weights: its hash speaks for it, and its path is left out.
        given = {name: text for name, text in self.options.items() if name not in self.files}
        return {
            by_name["source"]: self._without_path,
            **{by_name[name]: text for name, text in given.items()},
            **{f"{by_name[name]} (SHA-256)": digest for name, digest in self.files.items()},
        }

    @property
    def _without_path(self) -> str | None:
        """The source without the path of a file whose hash is known: `/a/net.py:build` and `net.py:build` are one."""
        if self.source is None or "source" not in self.files:
            return self.source
        name, bar, transforms = self.source.partition("|")
        # What is left is the form before the path, and the callable or the settings behind it.
        return re.sub(r"[^:,]*[/\\]", "", name) + bar + transforms


def opening_with(source: str | None, options: Any, files: Mapping[str, str] | None = None) -> Opening:
    """Return how something is opened from a source, None if that is an object, with a dataclass of options."""
    texts, only_in_python = changed(options)
    return Opening(source, texts, only_in_python, files or {})


def noted(thing: T, opening: Opening) -> T:
    """Note in a model how it was opened, and return it."""
    # On the object itself, so that it goes where the model goes, into wrappers and other processes, without a further
    # parameter.
    setattr(thing, _PLACE, opening)
    return thing


def opening_of(thing: object) -> Opening:
    """Return how a model or examples were opened; of those that were made in Python, that they exist only there."""
    found = getattr(thing, _PLACE, None)
    return found if isinstance(found, Opening) else Opening()


def opening_from_json(value: Mapping[str, Any]) -> Opening:
    """Read what ``asdict`` made of an opening; raises KeyError, TypeError or ValueError."""
    source, options, names, files = (value[key] for key in ("source", "options", "only_in_python", "files"))
    digests = options_from_json(files)
    if not isinstance(source, str | None) or True in digests.values():
        raise TypeError("source and files of an opening must be texts")
    return Opening(source, options_from_json(options), texts_from_json(names), {k: str(v) for k, v in digests.items()})


def options_from_json(value: Any) -> dict[str, str | bool]:
    """Read options from JSON, texts or True by name; raises TypeError."""
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value):
        raise TypeError("options must be an object")
    if not all(one is True or isinstance(one, str) for one in value.values()):
        raise TypeError("options must be texts or true")
    return dict(value)


def texts_from_json(value: Any) -> tuple[str, ...]:
    """Read a list of texts from JSON; raises TypeError."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError("must be a list of texts")
    return tuple(value)
