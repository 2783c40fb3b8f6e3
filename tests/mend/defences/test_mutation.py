"""Detection by mutants: Wald's test by hand, mutants that are values, votes that grow with the rate."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.subject import Subject
from unnerve.mend.defences._ratio_test import ratio_test, votes_needed
from unnerve.mend.defences.mutation import Mutation
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
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
    detector = Mutation(operator, mutants=12, rate=0.1, kept=0.2, error=0.4)
    found, again = (detector.calibrated(Subject(model), data) for _ in range(2))
    assert found == again
    assert found.threshold is not None
    assert model.identity((1, 8, 8)) == before
    first = found.suspicion(Subject(model), small_images())
    assert torch.equal(first[:3], found.suspicion(Subject(model), small_images()[:3]))


def test_a_given_threshold_is_kept_and_mutants_are_chosen_all_the_same() -> None:
    model = tiny_model()
    data = tensors(small_images(), model.observe(small_images()).predicted, classes="abcd", name="small")
    own = Mutation(mutants=6, rate=0.1, kept=0.2, error=0.3).calibrated(Subject(model), data)
    given = Mutation(mutants=6, rate=0.1, kept=0.2, error=0.3, threshold=0.75).calibrated(Subject(model), data)
    assert (given.threshold, given.chosen) == (0.75, own.chosen)
    assert own.threshold != 0.75


def deep() -> nn.Sequential:
    """Return twenty layers of ten neurons, in all of which weights and biases differ."""
    layers = [nn.Linear(10, 10) for _ in range(20)]
    with torch.no_grad():
        for layer in layers:
            layer.weight.copy_(torch.arange(100.0).view(10, 10) + 1)
            layer.bias.copy_(torch.arange(10.0) + 1)
    return nn.Sequential(*layers)


def moved(operator: str, rate: float, number: int = 0) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Return weights and biases of all layers, of the model and then of a mutant."""
    model = TorchModule(deep(), "deep", "logits")
    mutant = Mutation(operator, rate=rate)._mutant(Subject(model), number).module
    pairs = zip(model.module.children(), mutant.children(), strict=True)
    return [tuple(one.detach() for part in pair for one in part.parameters()) for pair in pairs]  # type: ignore[misc]


@pytest.mark.parametrize(("operator", "neurons"), [("ws", 10), ("nai", 10), ("ns", 10)])
def test_as_many_neurons_are_mutated_as_stated(operator: str, neurons: int) -> None:
    # 200 neurons, of which 0.05 are ten; a switch moves two, and one neuron may be moved twice.
    found = [sum(int((w != v).any(dim=1).sum()) for w, _, v, _ in moved(operator, 0.05, number)) for number in range(9)]
    assert max(found) <= neurons
    assert min(found) >= (neurons if operator != "ns" else neurons - 5)
    least = sum(int((w != v).any(dim=1).sum()) for w, _, v, _ in moved(operator, 0.001))
    assert least == (2 if operator == "ns" else 1), "no mutant is the model itself"


def test_each_operator_does_what_it_says() -> None:
    for w, b, v, c in moved("ws", 0.3):
        assert torch.equal(w.sort(dim=1).values, v.sort(dim=1).values), "the same weights in another order"
        assert torch.equal(b, c)
    for w, b, v, c in moved("nai", 0.3):
        sign = v[:, 0] / w[:, 0]
        assert set(sign.tolist()) <= {1.0, -1.0}
        assert torch.equal(v, w * sign[:, None])
        assert torch.equal(c, b * sign)
    for w, b, v, c in moved("ns", 0.3):
        order = [int(row) for row in (v[:, 0] - 1) // 10]
        assert sorted(order) == list(range(10))
        assert torch.equal(v, w[order])
        assert torch.equal(c, b[order]), "a neuron brings its bias"
    for w, _, v, _ in moved("gf", 0.3):
        assert 0.1 < float((w != v).float().mean()) < 0.5


def test_refuses_what_cannot_be() -> None:
    plain = Subject(TorchModule(nn.Flatten(), "flat", "logits"))
    with pytest.raises(InvalidModel, match=r"^mutation changes dense and convolution layers, and flat shows none$"):
        Mutation(threshold=0.1, chosen=(0,)).suspicion(plain, small_images())
    with pytest.raises(InvalidSetting, match=r"^threshold must be in \(0, 1\], got 0$"):
        Mutation(threshold=0)
    with pytest.raises(InvalidSetting, match=r"^operator must be gf, ws, ns, nai, got 'xx'$"):
        Mutation("xx")
    box = Subject(BlackBox(lambda x: x.reshape(len(x), -1)[:, :2], "box", "logits"))
    with pytest.raises(InvalidModel, match=r"needs an nn\.Module, and box is none"):
        Mutation(threshold=0.1, chosen=(0,)).suspicion(box, small_images())


def test_refuses_fewer_mutants_than_its_test_needs() -> None:
    # 14 changes in a row are 14 ln(1.1 / 0.9) = 2.81, less than ln(0.95 / 0.05) = 2.944.
    with pytest.raises(InvalidSetting, match=r"^mutants must be >= 15, or the test at error=0.05 .*, got 14$"):
        Mutation(mutants=14)
    assert (votes_needed(0.0441, 0.05), votes_needed(0.0441, 0.01)) == (15, 23)
    for rate in (0.0441, 0.95, 1.0):
        needed = votes_needed(rate, 0.05)
        decided = [bool(ratio_test(np.ones((1, count), dtype=bool), rate, 0.05)[1]) for count in (needed - 1, needed)]
        assert decided == [False, True], rate
    model = tiny_model()
    data = tensors(small_images(), model.observe(small_images()).predicted, classes="abcd", name="small")
    kept = Mutation(mutants=40, rate=0.3, kept=0.2).calibrated(Subject(model), data).chosen
    assert len(kept) >= 15
    few = Mutation(mutants=40, rate=0.3, kept=0.84)
    with pytest.raises(InvalidSetting, match=r"^mutation: 6 of 40 mutants keep 0.84 of the accuracy, .* needs 15 at"):
        few.calibrated(Subject(model), data)


def test_refuses_a_threshold_of_one_input() -> None:
    model = tiny_model()
    one = tensors(small_images()[:1], model.observe(small_images()[:1]).predicted, classes="abcd", name="small")
    with pytest.raises(InvalidData, match=r"^mutation sets its threshold by at least 2 clean inputs, got 1$"):
        Mutation(mutants=20, rate=0.1, kept=0.2).calibrated(Subject(model), one)


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
