"""Criteria of coverage in words: their own."""

from unnerve.core.facts import CriterionWords
from unnerve.core.naming.catalogue import find, names

__all__ = ["criterion_words", "stored_criterion_words"]


def criterion_words(criterion: object) -> CriterionWords:
    """Return what a criterion says of itself; of one that says nothing, plain words."""
    said = getattr(criterion, "words", None)
    return said if isinstance(said, CriterionWords) else CriterionWords()


def stored_criterion_words(name: str) -> CriterionWords:
    """Return the words of a criterion that a campaign names."""
    # The folder may be a stranger's: what is in the catalogue is looked up, and nothing is taken from a file.
    return criterion_words(find("coverage", name) if name in names("coverage") else None)
