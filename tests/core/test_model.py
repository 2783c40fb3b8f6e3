import math

import numpy as np
import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Capability, Classifier, Differentiable, Instrumented, Observation, require
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule


def answer(x: np.ndarray) -> np.ndarray:
    return np.tile([0.5, 0.5], (len(x), 1))


BLACK_BOX, MODULE = BlackBox(answer, "box"), TorchModule(nn.Linear(2, 2), "net")


def test_probabilities_of_logits() -> None:
    seen = Observation(torch.tensor([[0.0, math.log(3)], [1000.0, -1000.0]]))
    assert seen.probabilities.tolist()[0] == pytest.approx([0.25, 0.75])
    assert seen.probabilities.tolist()[1] == [1, 0]
    assert seen.predicted.tolist() == [1, 0]


def test_predicts_the_first_among_equals() -> None:
    assert Observation(torch.zeros(3, 100)).predicted.tolist() == [0, 0, 0]


def test_the_lead_by_hand() -> None:
    seen = Observation(torch.tensor([[1.0, 5.0, 3.0], [1.0, 5.0, 3.0], [2.0, 2.0, -1.0]]))
    assert seen.lead(torch.tensor([1, 2, 0])).tolist() == [2, -2, 0]
    assert seen.logits.tolist()[0] == [1, 5, 3]


def test_probabilities_are_made_once() -> None:
    seen = Observation(torch.zeros(1, 2))
    assert seen.probabilities is seen.probabilities


def test_neurons_that_were_not_asked_for() -> None:
    with pytest.raises(RuntimeError, match="neurons were not asked for"):
        _ = Observation(torch.zeros(1, 2)).neurons
    assert Observation(torch.zeros(1, 2), torch.ones(1, 3)).neurons.tolist() == [[1, 1, 1]]


def test_a_module_can_do_more_than_a_function() -> None:
    assert isinstance(BLACK_BOX, Classifier)
    assert not isinstance(BLACK_BOX, Differentiable)
    assert isinstance(MODULE, Instrumented)


def test_require_is_silent_if_all_is_there() -> None:
    require(BLACK_BOX, Capability.ANSWERS, "pd")
    require(MODULE, Capability.GRADIENTS | Capability.NEURONS, "deepsensor")


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        (Capability.GRADIENTS, "pgd needs gradients, which box does not offer; choose a black-box method"),
        (Capability.NEURONS | Capability.GRADIENTS, "pgd needs gradients and neurons, which box does not offer"),
        (Capability.DROPOUT, "pgd needs dropout, which box does not offer"),
    ],
)
def test_require_says_what_is_missing(needs: Capability, words: str) -> None:
    with pytest.raises(InvalidModel, match=f"^{words}"):
        require(BLACK_BOX, needs, "pgd")


def test_require_names_only_what_is_missing() -> None:
    with pytest.raises(
        InvalidModel, match=r"^vro needs dropout, which net does not offer; give it some: `dropout` RATE"
    ):
        require(MODULE, Capability.GRADIENTS | Capability.DROPOUT, "vro")
