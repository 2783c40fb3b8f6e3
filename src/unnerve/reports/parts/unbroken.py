"""Texts of a page in which no line ends between a number and its unit or sign."""

import re

__all__ = ["unbroken"]

_PART = re.compile(r"(?<=\d) (?=(?:%|dB|s|min|h)(?!\w))|(?<=[<>=\u2264\u2265]) (?=\d)")


def unbroken(text: str) -> str:
    """Return a text with no-break spaces in ``34.8 %``, ``20 dB`` and ``< 0.1``; for pages, not for terminals."""
    return _PART.sub("\u00a0", text)
