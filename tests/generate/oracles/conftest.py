"""Three seeds and five candidates whose logits are their own pixels, minus one."""

import numpy as np
import pytest
import torch

from unnerve.core.data.examples import Batch
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.black_box import BlackBox


def pixels(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1) - 1


@pytest.fixture
def subject() -> Subject[Classifier]:
    return Subject(BlackBox(pixels, outputs="logits"))


@pytest.fixture
def seeds(subject: Subject[Classifier]) -> Seeds:
    """Return seeds that are answered with 0, 1 and 2; the last one's label is 0, so it is wrong already."""
    inputs = torch.tensor([[0.9, 0.5, 0.1], [0.2, 0.8, 0.3], [0.1, 0.2, 0.7]]).view(3, 1, 1, 3)
    return Seeds.observed(subject.model, Batch(inputs, torch.tensor([0, 1, 0]), ("a", "b", "c")))


@pytest.fixture
def candidates() -> Candidates:
    """Return candidates that are answered with 0, 1, 1, 0 and 0, of the seeds 0, 0, 1, 2 and 1."""
    inputs = torch.tensor([[0.8, 0.5, 0.1], [0.4, 0.5, 0.1], [0.2, 0.6, 0.5], [0.7, 0.2, 0.4], [0.5, 0.5, 0.5]])
    return Candidates(inputs.view(5, 1, 1, 3), torch.tensor([0, 0, 1, 2, 1]), step=0)
