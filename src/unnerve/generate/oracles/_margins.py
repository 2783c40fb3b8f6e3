"""How clearly an answer is, or is not, a given class."""

from torch import Tensor

from unnerve.core.findings import Candidates, Verdict
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["judged_apart_from", "lead_over_others"]


def judged_apart_from(subject: Subject[Classifier], candidates: Candidates, expected: Tensor) -> Verdict:
    """Accept candidates whose answer is not the expected class, shape (K,)."""
    seen = subject.model.observe(candidates.inputs)
    return Verdict(seen.predicted != expected, -lead_over_others(seen.logits, expected), seen)


def lead_over_others(logits: Tensor, classes: Tensor) -> Tensor:
    """Return the logit of the given class minus the largest other one, shape (K,)."""
    own = logits.gather(1, classes.unsqueeze(1)).squeeze(1)
    return own - logits.scatter(1, classes.unsqueeze(1), float("-inf")).amax(dim=1)
