"""F-measure: tries until the first adversary (Chen et al., QSIC 2004; as used by Li et al., "PEACEPACT", QRS 2020)."""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["FMeasure", "f_measure"]


@dataclass(frozen=True)
class FMeasure:
    """Cost of the first adversary when inputs are tried in a given order.

    Parameters
    ----------
    generations : int
        Perturbed copies made, up to and including the first success.
    examples : int
        Inputs tried, up to and including the one that succeeded.
    censored : bool
        No input succeeded; the two counts are all that was tried, and the true cost is larger.
    """

    generations: int
    examples: int
    censored: bool


def f_measure(first_successes: Iterable[int | None], tries: int) -> FMeasure:
    """Count the tries until the first adversary along an order of inputs.

    The papers count "examples" in the formula but print values that only generations can give, so both are
    returned. An iterable is read no further than the first success: later inputs need not be evaluated.

    Parameters
    ----------
    first_successes : iterable of int or None
        For each input in the order tried: index (from 0) of its first try that succeeded, None if none did.
    tries : int
        Tries that each input gets before the next one has its turn, M.

    Returns
    -------
    FMeasure

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """
    examples = 0
    for first in first_successes:
        examples += 1
        if first is not None:
            # Inputs before it were tried in full, because nobody knew that they would not fall.
            return FMeasure((examples - 1) * tries + first + 1, examples, censored=False)
    return FMeasure(examples * tries, examples, censored=True)
