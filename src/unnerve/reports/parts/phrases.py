"""Pieces of a sentence, of which figures and names stand out."""

from dataclasses import dataclass

__all__ = ["Phrase"]


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence.

    Parameters
    ----------
    text : str
    kind : str
        ``figure``, ``name``, or empty for plain words.
    """

    text: str
    kind: str = ""
