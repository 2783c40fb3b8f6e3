"""An oracle that breaks a promise is told which."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch

from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.oracles.misclassified import Misclassified
from unnerve.testing.oracles import check_oracle


@dataclass(frozen=True)
class Strict:
    """An oracle that keeps its promises but for the one that is named."""

    broken: str = ""

    @property
    def needs(self) -> Any:
        return "answers" if self.broken == "needs" else Capability.ANSWERS

    target = None

    def facts(self) -> OracleFacts:
        return Misclassified().facts()

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        verdict = Misclassified()(subject, seeds, candidates)
        if self.broken == "all":
            return replace(verdict, accepted=torch.ones_like(verdict.accepted))
        if self.broken == "margin":
            return replace(verdict, margin=-verdict.margin.abs() - 1)
        if self.broken == "company":
            return replace(verdict, margin=verdict.margin.abs() + len(candidates))
        if self.broken == "seeds":
            seeds.batch.inputs.zero_()
        return verdict


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("all", "not all of the candidates must be accepted"),
        ("margin", "what is accepted must have a margin >= 0"),
        ("company", "margins must be the same alone and in company"),
        ("seeds", "the seeds must be left as they were"),
        ("needs", "needs must be a Capability, got answers"),
    ],
)
def test_says_which_promise_is_broken(broken: str, words: str) -> None:
    with pytest.raises(AssertionError, match=f": {words}$"):
        check_oracle(Strict(broken))
