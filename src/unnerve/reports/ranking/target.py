"""What an order of suspicion is looked through for: wrong answers, or inputs that break."""

from dataclasses import dataclass

import numpy as np

from unnerve.reports.ranking.verdict import noun
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["Target", "target"]

_LEAST = 10


@dataclass(frozen=True, eq=False)
class Target:
    """Inputs to be found early.

    Parameters
    ----------
    hit : bool array of shape (N,)
        Which candidates.
    words : str
        What they are: ``wrong answers``.
    wrong : bool
        Whether they are misclassified as they are, else vulnerable.
    """

    hit: np.ndarray
    words: str
    wrong: bool

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.hit.sum())


def target(proof: RankingProof) -> Target:
    """Return what to look for: wrong answers where the labels show enough of them, else what the trial broke."""
    labels = proof.candidates.label_array()
    if labels is not None:
        wrong = proof.scored.predicted != labels
        # A handful proves no order; every set of inputs has more that can be broken than are wrong already.
        if wrong.sum() >= _LEAST:
            return Target(wrong, "wrong answers", True)
    return Target(proof.eff > 0, f"{noun(proof)} that break", False)
