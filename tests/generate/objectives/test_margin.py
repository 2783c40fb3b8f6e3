from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.model import Capability
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.objectives.margin import Margin
from unnerve.subjects.adapters.black_box import BlackBox


def pixels(x: np.ndarray) -> np.ndarray:
    """Answer with the pixels themselves, minus one."""
    return x.reshape(len(x), -1) - 1


@pytest.fixture
def subject() -> Subject[Metered]:
    return Subject(Metered(BlackBox(pixels, outputs="logits"), Meter(3)))


def seeds(subject: Subject[Metered], labels: Tensor | None) -> Seeds:
    inputs = torch.tensor([[0.9, 0.5, 0.1], [0.2, 0.8, 0.3], [0.1, 0.2, 0.7]]).view(3, 1, 1, 3)
    return Seeds(Batch(inputs, labels, ("a", "b", "c")), subject.model.of(torch.arange(3)).observe(inputs))


CANDIDATES = torch.tensor([[[0.8, 0.5, 0.1], [0.4, 0.5, 0.1]], [[0.2, 0.6, 0.5], [0.5, 0.5, 0.5]]]).view(2, 2, 1, 1, 3)


def test_by_hand(subject: Subject[Metered]) -> None:
    # The candidates belong to the seeds 0 and 2, whose labels are 0 and 0.
    fitness = Margin().prepare(subject, seeds(subject, torch.tensor([0, 1, 0])))
    values = fitness(CANDIDATES, torch.tensor([0, 2]))
    assert values.shape == (2, 2)
    assert values.tolist() == [pytest.approx([-0.3, 0.1], abs=1e-6), pytest.approx([0.4, 0.0], abs=1e-6)]


def test_without_labels_the_clean_answer_is_right(subject: Subject[Metered]) -> None:
    # The model says 0 of the first seed and 2 of the last.
    fitness = Margin().prepare(subject, seeds(subject, None))
    values = fitness(CANDIDATES, torch.tensor([0, 2]))
    assert values.tolist() == [pytest.approx([-0.3, 0.1], abs=1e-6), pytest.approx([0.1, 0.0], abs=1e-6)]


def test_with_targets_their_lead_counts(subject: Subject[Metered]) -> None:
    # The seeds 0 and 2 shall become 1 and 2; labels do not matter then.
    aimed = replace(seeds(subject, torch.tensor([0, 1, 0])), target=torch.tensor([1, 0, 2]))
    values = Margin().prepare(subject, aimed)(CANDIDATES, torch.tensor([0, 2]))
    assert values.tolist() == [pytest.approx([-0.3, 0.1], abs=1e-6), pytest.approx([-0.1, 0.0], abs=1e-6)]


def test_each_candidate_costs_its_seed_one_query(subject: Subject[Metered]) -> None:
    fitness = Margin().prepare(subject, seeds(subject, None))
    assert subject.model.meter.spent.tolist() == [1, 1, 1], "the clean pass is done already"
    fitness(CANDIDATES, torch.tensor([0, 2]))
    assert subject.model.meter.spent.tolist() == [3, 1, 3]
    assert Margin().cost(10) == 1


def test_needs_answers_only() -> None:
    assert Margin().needs == Capability.ANSWERS
