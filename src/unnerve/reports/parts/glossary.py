"""Words of a page with their meanings."""

from dataclasses import dataclass

__all__ = ["Term"]


@dataclass(frozen=True)
class Term:
    """One word of a glossary.

    Parameters
    ----------
    anchor : str
        What links on the page lead to.
    word : str
    meaning : str
        One line.
    """

    anchor: str
    word: str
    meaning: str
