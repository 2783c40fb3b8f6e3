from dataclasses import replace

import pytest

from unnerve.core.errors import InvalidData
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.oracles.misclassified import Misclassified


def test_by_hand(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    verdict = Misclassified()(subject, seeds, candidates)
    # Labels of the candidates' seeds: 0, 0, 1, 0, 1. The third seed was wrong, its candidate is right.
    assert verdict.accepted.tolist() == [False, True, False, False, True]
    assert verdict.margin.tolist() == pytest.approx([-0.3, 0.1, -0.1, -0.3, 0.0], abs=1e-6)
    assert verdict.observation.predicted.tolist() == [0, 1, 1, 0, 0]


def test_needs_labels(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    unlabelled = replace(seeds, batch=replace(seeds.batch, labels=None))
    with pytest.raises(InvalidData, match="the oracle 'misclassified' needs labels; use 'changed'"):
        Misclassified()(subject, unlabelled, candidates)


def test_needs_answers_only() -> None:
    assert Misclassified().needs == Capability.ANSWERS
