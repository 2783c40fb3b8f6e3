import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.oracles.becomes import Becomes


def test_by_hand(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    verdict = Becomes(0)(subject, seeds, candidates)
    # The first candidate is answered with 0, but so was its seed.
    assert verdict.accepted.tolist() == [False, False, False, True, True]
    assert verdict.margin.tolist() == pytest.approx([0.3, -0.1, -0.4, 0.3, 0.0], abs=1e-6)


def test_another_target(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    assert Becomes(1)(subject, seeds, candidates).accepted.tolist() == [False, True, False, False, False]
    assert not Becomes(2)(subject, seeds, candidates).accepted.any()


def test_refuses_a_class_that_is_not_there(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> None:
    with pytest.raises(InvalidSetting, match=r"^target must be >= 0, got -1$"):
        Becomes(-1)
    with pytest.raises(InvalidSetting, match=r"^target must be in \[0, 2\], got 3$"):
        Becomes(3)(subject, seeds, candidates)


def test_needs_answers_only() -> None:
    assert Becomes(1).needs == Capability.ANSWERS
