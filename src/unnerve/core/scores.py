"""Scores by name: what they ask for must be evidence that somebody has."""

import inspect

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import EVIDENCE, Score
from unnerve.core.naming.catalogue import build

__all__ = ["score_named"]


def score_named(score: str | Score) -> Score:
    """Return a score from its name, or a function as it is.

    The parameters of a score that is found by its name must all name evidence. A function that is given as an object
    may call its only parameter as it likes: it is given probabilities.
    """
    method: Score = build("score", score)
    unknown = [name for name in inspect.signature(method).parameters if name not in EVIDENCE]
    # A misspelt parameter of a named score would silently be given probabilities, and rank by something else.
    if isinstance(score, str) and unknown:
        raise InvalidSetting(
            f"score {score} asks for {' and '.join(unknown)}; its parameters must be among {', '.join(EVIDENCE)}"
        )
    return method
