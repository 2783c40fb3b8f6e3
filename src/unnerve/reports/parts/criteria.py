"""Criteria of coverage in words."""

from dataclasses import dataclass

__all__ = ["CriterionWords", "criterion_words"]


@dataclass(frozen=True)
class CriterionWords:
    """What a criterion counts.

    Parameters
    ----------
    counted : str
        What is counted, as it stands beside a figure.
    met : str
        What happened to that many, as it stands between two numbers: "178 of 268 neurons are activated by 60 inputs".
    """

    counted: str
    met: str


_WORDS = {
    "nc": CriterionWords("neurons that are activated", "neurons are activated by"),
    "kmnc": CriterionWords(
        "sections of what neurons did on training data", "sections of what neurons did on training data are met by"
    ),
    "nbc": CriterionWords(
        "corners: below or above that", "corners outside what neurons did on training data are met by"
    ),
    "snac": CriterionWords("upper corners", "neurons go above what they did on training data with"),
    "tknc": CriterionWords(
        "neurons that are a layer\u2019s most active", "neurons are the most active of their layer for some of"
    ),
    "bknc": CriterionWords(
        "neurons that are a layer\u2019s least active", "neurons are the least active of their layer for some of"
    ),
    "tknp": CriterionWords(
        "patterns of the most active neurons: a number", "patterns of the most active neurons are met by"
    ),
}


def criterion_words(name: str) -> CriterionWords:
    """Return the words of a criterion; of one from a user's file, plain ones."""
    return _WORDS.get(name, CriterionWords("", "obligations are met by"))
