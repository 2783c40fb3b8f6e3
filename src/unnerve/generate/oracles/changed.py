"""An input is an error if the model answers otherwise than it did on the seed."""

from dataclasses import dataclass

from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.subject import Subject
from unnerve.generate.oracles._margins import judged_apart_from

__all__ = ["Changed"]


@dataclass(frozen=True)
class Changed:
    """The answer differs from the answer to the seed: no labels needed (NSATP's and PEACEPACT's notion).

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """

    needs = Capability.ANSWERS
    target = None

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        return OracleFacts(
            describe(self), command_text(self), "the answer is not the one to the seed", "change its answer"
        )

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Accept candidates with another answer; the margin is best other logit minus that of the old answer."""
        return judged_apart_from(subject, candidates, seeds.clean.predicted[candidates.seed_index])
