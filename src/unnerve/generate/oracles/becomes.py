"""An input is an error if the model answers with a chosen class."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.subject import Subject

__all__ = ["Becomes"]


@dataclass(frozen=True)
class Becomes:
    """The answer is ``target`` though the seed's was not (a targeted attack).

    Parameters
    ----------
    target : int
        Class number, >= 0.

    References
    ----------
    Carlini and Wagner, "Towards Evaluating the Robustness of Neural Networks", 2017.
    """

    target: int
    needs = Capability.ANSWERS
    small = ("1",)

    def __post_init__(self) -> None:
        if self.target < 0:
            raise InvalidSetting(f"target must be >= 0, got {self.target}")

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        return OracleFacts(
            describe(self), command_text(self), "the answer becomes {target}", "answer {target}", self.target
        )

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Accept candidates whose answer is the target; the margin is the target's logit minus the best other."""
        seen = subject.model.observe(candidates.inputs)
        classes = seen.logits.shape[1]
        if self.target >= classes:
            raise InvalidSetting(f"target must be in [0, {classes - 1}], got {self.target}")
        lead = seen.lead(seen.predicted.new_full((len(candidates),), self.target))
        fresh = seeds.clean.predicted[candidates.seed_index] != self.target
        return Verdict((seen.predicted == self.target) & fresh, lead, seen)
