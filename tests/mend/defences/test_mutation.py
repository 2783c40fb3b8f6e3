"""Detection by mutants: Wald's test by hand, mutants that are values, votes that grow with the rate."""

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.subject import Subject
from unnerve.mend.defences.mutation import Mutation, ratio_test
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_images, tiny_model


def test_steps_of_the_test_by_hand() -> None:
    # h = 0.0441: a change adds ln(1.1 / 0.9) = 0.2007, no change ln((1 - 1.1 h) / (1 - 0.9 h)) = -0.0092.
    odds, _, _ = ratio_test(np.array([[True], [False]]), 0.0441, 0.05)
    assert odds.tolist() == pytest.approx([0.2007, -0.0092], abs=1e-4)
    # ln(0.95 / 0.05) = 2.944 takes 15 changes in a row, or 320 mutants without one.
    _, adversarial, _ = ratio_test(np.ones((1, 15), dtype=bool), 0.0441, 0.05)
    assert adversarial.tolist() == [True]
    _, adversarial, _ = ratio_test(np.ones((1, 14), dtype=bool), 0.0441, 0.05)
    assert adversarial.tolist() == [False]
    late = np.zeros((1, 400), dtype=bool)
    late[0, 330:] = True
    assert ratio_test(late, 0.0441, 0.05)[1].tolist() == [False], "it had decided before"


@pytest.mark.parametrize("operator", ["gf", "ws", "ns", "nai"])
def test_mutants_are_the_same_each_time_and_leave_the_model_alone(operator: str) -> None:
    model = tiny_model()
    before = model.identity((1, 8, 8))
    predicted = model.observe(small_images()).predicted
    data = tensors(small_images(), predicted, classes="abcd", name="small")
    detector = Mutation(operator, mutants=6, rate=0.1, kept=0.2)
    found, again = (detector.calibrated(Subject(model), data) for _ in range(2))
    assert found == again
    assert found.threshold is not None
    assert model.identity((1, 8, 8)) == before
    first = found.suspicion(Subject(model), small_images())
    assert torch.equal(first[:3], found.suspicion(Subject(model), small_images()[:3]))


def test_refuses_what_cannot_be() -> None:
    with pytest.raises(InvalidSetting, match=r"^operator must be gf, ws, ns, nai, got 'xx'$"):
        Mutation("xx")
    box = Subject(BlackBox(lambda x: x.reshape(len(x), -1)[:, :2], "box", "logits"))
    with pytest.raises(InvalidModel, match=r"needs an nn\.Module, and box is none"):
        Mutation(threshold=0.1, chosen=(0,)).suspicion(box, small_images())


def test_inputs_that_are_decided_leave_without_changing_a_verdict() -> None:
    model = tiny_model()
    predicted = model.observe(small_images()).predicted
    data = tensors(small_images(), predicted, classes="abcd", name="small")
    detector = Mutation("gf", mutants=35, rate=0.3, kept=0.2).calibrated(Subject(model), data)
    assert len(detector.chosen) > 20
    votes = [
        detector._mutant(Subject(model), one).observe(small_images()).predicted != predicted for one in detector.chosen
    ]
    assert detector.threshold is not None
    _, adversarial, _ = ratio_test(torch.stack(votes, dim=1).numpy(), detector.threshold, detector.error)
    assert adversarial.any()
    assert (detector.suspicion(Subject(model), small_images()) > 0).numpy().tolist() == adversarial.tolist()
