"""How often models are right, made by hand: one that is fine, those whose answers look wrong; what pages say of it."""

from tests.reports.markup import parsed
from unnerve.reports.parts.plotly import library
from unnerve.studies.accuracy.accuracy import Accuracy

__all__ = ["ALIKE", "BY_CHANCE", "LOUD", "SOUND", "words"]

SOUND = Accuracy({**{(label, label): 11 for label in range(4)}, (0, 1): 4}, 4)
"""44 of 48 are right."""

BY_CHANCE = Accuracy({(label, answer): 3 for label in range(4) for answer in range(4)}, 4)
"""12 of 48 are right, and no answer is more frequent than another."""

ALIKE = Accuracy({(-1, 2): 48}, 4)
"""Without labels, and always the same answer."""

LOUD = {
    "by chance": (BY_CHANCE, "12 of 48 answers are right, which is near chance: are the weights loaded (--weights)"),
    "alike": (ALIKE, "48 of 48 inputs are answered alike (class 2): are the weights loaded (--weights)"),
}
"""Accuracies that look wrong, and how that is said."""


def words(html: str) -> str:
    """Return the words of a page in their order, one space between them."""
    return " ".join(" ".join(parsed(html.replace(library(), "")).text).split())
