from dataclasses import replace

import pytest

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.oracles.changed import Changed


def test_by_hand(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    verdict = Changed()(subject, seeds, candidates)
    # Answers to the candidates' seeds: 0, 0, 1, 2, 1.
    assert verdict.accepted.tolist() == [False, True, False, True, True]
    assert verdict.margin.tolist() == pytest.approx([-0.3, 0.1, -0.1, 0.3, 0.0], abs=1e-6)


def test_labels_do_not_matter(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    unlabelled = replace(seeds, batch=replace(seeds.batch, labels=None))
    verdict = Changed()(subject, unlabelled, candidates)
    assert verdict.accepted.tolist() == [False, True, False, True, True]


def test_needs_answers_only() -> None:
    assert Changed().needs == Capability.ANSWERS
