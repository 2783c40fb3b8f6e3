"""``--report`` means the same with every verb: write the report. A path behind it may say where."""

from collections.abc import Sequence

__all__ = ["PAGES", "with_page"]

PAGES = {"cover": "cover.html", "rank": "ranking.html", "defend": "defence.html", "corrupt": "corruption.html"}
"""Verbs without a folder of their own, and what their reports are called."""

_OPTION = "--report"


def with_page(words: Sequence[str], verbs: Sequence[str]) -> tuple[str, ...]:
    """Put the usual name behind a ``--report`` without one: click knows options with a value, or without, not both."""
    page = PAGES.get(next((word for word in words if word in verbs), ""))
    if page is None:
        return tuple(words)
    # The end of the line counts as an option: a --report that stands there has no path.
    following = [*words[1:], "-"]
    bare = [word == _OPTION and after.startswith("-") for word, after in zip(words, following, strict=True)]
    return tuple(part for word, alone in zip(words, bare, strict=True) for part in ((word, page) if alone else (word,)))
