"""Pieces of a sentence, of which figures and names stand out."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Phrase", "listed"]


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


def listed(words: Sequence[str]) -> str:
    """Return words as a list within a sentence: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
