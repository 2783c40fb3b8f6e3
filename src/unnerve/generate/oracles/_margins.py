"""How clearly an answer is, or is not, a given class."""

from torch import Tensor

from unnerve.core.findings import Candidates, Verdict
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["judged_apart_from"]


def judged_apart_from(subject: Subject[Classifier], candidates: Candidates, expected: Tensor) -> Verdict:
    """Accept candidates whose answer is not the expected class, shape (K,)."""
    seen = subject.model.observe(candidates.inputs)
    return Verdict(seen.predicted != expected, -seen.lead(expected), seen)
