"""How reactions were measured, and what the words on the page mean, one line each."""

from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import significant
from unnerve.reports.reactions.words import unit
from unnerve.studies.react.result import Reactions

__all__ = ["reactions_glossary", "reactions_steps"]


def reactions_steps(found: Reactions) -> tuple[str, ...]:
    """Return in words how reactions were measured."""
    return (
        "Pairs: of every seed that a method broke, the seed and the finding with the smallest L2 change.",
        "Noise of the same size: the same amounts of change, shuffled over the input, with random signs; where a value "
        "would leave its range, the sign turns.",
        f"A neuron reacts if its {printable(str(found.reaction['name']))} exceeds {significant(found.threshold)} "
        f"{unit(found)}. Shares are means over pairs; the strongest neurons are those with the largest mean.",
    )


def reactions_glossary(found: Reactions) -> tuple[Term, ...]:
    """Return the meaning of every figure on the page."""
    words = found.words
    own = Term("reaction", printable(words.heading), printable(words.meaning))
    overlap = Term(
        "overlap",
        "Overlap",
        "Neurons among the strongest of both methods, divided by those of either (Jaccard): 1 if they are the same, 0 "
        "if none is shared.",
    )
    return (own, overlap) if words.heading else (overlap,)
