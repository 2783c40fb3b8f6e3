"""Text from strangers, such as names in a file, without what a terminal or a table program would obey."""

import re
import unicodedata

__all__ = ["one_line", "printable", "printable_lines", "table_cell"]

_CONTROL_PICTURES = 0x2400
_JOINERS = "\u200c\u200d"  # letters of many scripts, and some emoji, need them
_FORMULA = re.compile(r"[=+\-@|%]")


def printable(text: str) -> str:
    """Make every character visible.

    Control characters become their pictures, so that a name cannot move a terminal's cursor or end a line; lone
    surrogates and characters that reorder text, which have no picture, become the replacement character.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _visible(character) for character in text)


def printable_lines(text: str) -> str:
    """Make every character visible, but for the ends of lines."""
    return "\n".join(map(printable, text.split("\n")))


def one_line(text: str, most: int = 2000) -> str:
    """Return text as one printable line; of a line longer than ``most`` characters, both ends."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most // 2]} ... {line[-most // 2 :]}"


def table_cell(text: str) -> str:
    """Return text for a cell of a CSV file: one that a table program would take for a formula begins with ``'``.

    Examples
    --------
    >>> table_cell("=1+1"), table_cell("-0.5"), table_cell("cat")
    ("'=1+1", '-0.5', 'cat')
    """
    text = printable(text)
    return f"'{text}" if _FORMULA.match(text) and not _is_number(text) else text


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if character in _JOINERS:
        return character
    return " " if unicodedata.category(character) == "Zs" else "\ufffd"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
