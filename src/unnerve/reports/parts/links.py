"""Links from a page to files beside it."""

import os
from pathlib import Path
from urllib.parse import quote

__all__ = ["relative_link"]


def relative_link(target: str | Path, page: Path) -> str | None:
    """Return the way from a page to a file or folder as an address; None if they are not on the same drive."""
    try:
        way = os.path.relpath(target, page.resolve().parent)
    except ValueError:
        return None
    # File names that are no UTF-8 come as lone surrogates, which cannot be encoded otherwise.
    return quote(way.replace(os.sep, "/"), errors="replace")
