"""Which form a text has: by its prefix, by its suffix, or as a name in Python."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from unnerve.core.errors import InvalidModel
from unnerve.core.naming.callables import looks_like_python
from unnerve.core.naming.catalogue import build, find, names, settings
from unnerve.subjects.opened import ModelForm

__all__ = ["form_of"]

_KIND = "model form"
_PYTHON = "python"

_WEIGHTS = "holds weights without the model; name the code that builds it: FILE.py:build --weights {0}"
_INSTEAD = {
    **dict.fromkeys(("safetensors", "bin", "ckpt", "npz"), _WEIGHTS),
    "py": "must be followed by what builds the model in it, as in {0}:build",
}
"""What is said of files that people take for models, by what their names end with."""

# A path may hold commas; settings are what stands as ,key=value at its end.
_SETTINGS = re.compile(r"(?P<place>.*?)(?P<settings>(?:,\w+=[^,/\\]*)*)", re.DOTALL)


def form_of(text: str) -> tuple[ModelForm, str]:
    """Return the form of a text, with its settings, and the text without its prefix and them.

    ``onnx:FILE`` and ``FILE.onnx`` are of the form ``onnx``; settings follow as ``,key=value``.
    """
    prefix, _, rest = text.partition(":")
    # Prefixes go first: onnx:FILE.bin says what it is, whatever its name ends with.
    if (name := _words().get(prefix.lower())) is not None:
        # Of an address, http://..., the prefix is a part.
        return _built(name, text if rest.startswith("//") else rest)
    match = _SETTINGS.fullmatch(text)
    assert match is not None
    suffix = Path(match["place"]).suffix.removeprefix(".").lower()
    if suffix in _words():
        return _built(_words()[suffix], text)
    if _names_python(text):
        return _built(_PYTHON, text)
    if Path(text).is_file() and suffix in _INSTEAD:
        raise InvalidModel(f"{text}: {_INSTEAD[suffix].format(text)}")
    *most, last = (find(_KIND, one).shown for one in sorted(names(_KIND), key=_readably))  # type: ignore[attr-defined]
    raise InvalidModel(f"a model must be {', '.join(most)} or {last}, got '{text}'")


def _built(name: str, text: str) -> tuple[ModelForm, str]:
    if not settings(find(_KIND, name)):
        return build(_KIND, name), text
    match = _SETTINGS.fullmatch(text)
    assert match is not None
    return build(_KIND, f"{name}:{match['settings'][1:]}" if match["settings"] else name), match["place"]


def _names_python(text: str) -> bool:
    """Say whether a text names something in Python; of one word only where there is such a module."""
    home = text.rpartition(":")[0]
    beside = Path(home).is_dir() or Path(f"{home}.py").is_file()
    return looks_like_python(text) and ("." in home or beside or find_spec(home) is not None)


@cache
def _words() -> dict[str, str]:
    """Return the prefixes and suffixes of all forms, each with the form's name."""
    forms = {name: find(_KIND, name) for name in names(_KIND)}
    return {word: name for name, form in forms.items() for word in (name, *form.also)}  # type: ignore[attr-defined]


def _readably(name: str) -> tuple[bool, bool, str]:
    return name != "zoo", name != _PYTHON, name  # those that most people need first
