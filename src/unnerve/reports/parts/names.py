"""Names that users gave (classes, ids, paths), made fit to be shown; markup is the template's business."""

import unicodedata
from collections.abc import Sequence

__all__ = ["class_name", "display_name", "printable", "short"]

_CONTROL_PICTURES = 0x2400
_JOINERS = "\u200c\u200d"  # letters of many scripts, and some emoji, need them


def printable(text: str) -> str:
    """Make every character visible.

    Control characters become their pictures, so that a name cannot move a terminal's cursor or end a line; lone
    surrogates and characters that reorder text, which have no picture, become the replacement character.
    """
    return "".join(character if character.isprintable() else _visible(character) for character in text)


def short(text: str, width: int = 28) -> str:
    """Cut the middle out of a long name."""
    if len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def display_name(text: str, width: int) -> str:
    """Make a name printable and cut it to a width."""
    return short(printable(text), width)


def class_name(classes: Sequence[str], index: int) -> str:
    """Return a class's name as it can be shown, or its number if it has none."""
    return printable(classes[index]) if 0 <= index < len(classes) else f"class {index}"


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if character in _JOINERS:
        return character
    return " " if unicodedata.category(character) == "Zs" else "\ufffd"
