"""Docstrings as the site shows them: formulas drawn, names of other objects as code."""

import re
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))
from mathml import mathml

__all__ = ["Docstrings"]

_FORMULA = re.compile(r"\.\. math:: (?P<tex>.+)")
_INLINE = re.compile(r":math:`(?P<tex>[^`]+)`")
_OBJECT = re.compile(r":(?:func|class|meth|data|attr):`~?(?P<name>[^`]+)`")


class Docstrings(griffe.Extension):
    """Turns the marks of reStructuredText into what Markdown knows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite an object's docstring before it is parsed."""
        if obj.docstring is None:
            return
        text = _FORMULA.sub(lambda found: mathml(found["tex"]), obj.docstring.value)
        text = _INLINE.sub(lambda found: mathml(found["tex"], block=False), text)
        obj.docstring.value = _OBJECT.sub(lambda found: f"`{found['name']}`", text)
