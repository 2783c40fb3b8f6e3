import copy

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered
from unnerve.generate.attacks.foreign._facade import Facade
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule


def facade(model: Classifier, centre: Tensor, rows: list[int], budget: int | None = None) -> Facade:
    return Facade(Metered(model, Meter(10, budget)), torch.tensor(rows), centre, 4)


def spent(one: Facade) -> list[int]:
    charged: list[int] = one.metered.meter.spent.tolist()
    return charged


def test_answers_and_gradients_are_the_modules_own(
    tiny_net: nn.Module, tiny_model: TorchModule, small_images: Tensor
) -> None:
    x, labels = small_images[:32], torch.arange(32) % 4
    one = Facade(Metered(tiny_model, Meter(32)), torch.arange(32), x, 4)
    slopes = []
    for module in (one, tiny_net):
        leaf = x.clone().requires_grad_(True)
        logits = module(leaf)
        slopes.append((logits.detach(), *torch.autograd.grad(cross_entropy(logits * 2, labels), leaf)))
    assert all(torch.allclose(ours, plain, atol=1e-6) for ours, plain in zip(*slopes, strict=True))
    assert float(slopes[0][1].abs().sum()) > 0


def test_forward_and_backward_cost_a_query_each(tiny_model: TorchModule, small_images: Tensor) -> None:
    one = facade(tiny_model, small_images[:1], [3])
    x = small_images[:1].clone().requires_grad_(True)
    logits = one(x)
    assert spent(one)[3] == 1
    for label in range(4):  # a Jacobian, row by row
        logits[0, label].backward(retain_graph=True)
    assert spent(one) == [0, 0, 0, 1 + 4, 0, 0, 0, 0, 0, 0]
    with torch.no_grad():
        one(torch.cat([x, x, x]))
    assert spent(one)[3] == 8, "all rows of an attack on one seed are that seed's"


def test_no_gradient_reaches_the_weights(tiny_net: nn.Module, tiny_model: TorchModule, small_images: Tensor) -> None:
    x = small_images[:2].clone().requires_grad_(True)
    facade(tiny_model, small_images[:2], [0, 1])(x).sum().backward()
    assert x.grad is not None
    assert all(one.grad is None for one in tiny_net.parameters())


def test_rows_that_are_left_out_are_charged_to_their_seeds(tiny_model: TorchModule, small_images: Tensor) -> None:
    one = facade(tiny_model, small_images[:3], [5, 7, 9])
    one(small_images[:3])
    one(small_images[1:3] + 0.02)
    one(small_images[[2, 2, 0, 2]] - 0.02)
    assert spent(one) == [0, 0, 0, 0, 0, 2, 0, 2, 0, 5]


def test_what_was_asked_about_last(tiny_model: TorchModule, small_images: Tensor) -> None:
    one = facade(tiny_model, small_images[:3], [5, 7, 9])
    assert [len(part) for part in one.last()] == [0, 0]
    one(small_images[:3])
    one(torch.stack([small_images[2] + 0.01, small_images[1], small_images[2]])[:2])
    inputs, rows = one.last()
    assert rows.tolist() == [7, 9]
    assert torch.equal(inputs, torch.stack([small_images[1], small_images[2] + 0.01]))


def test_a_pass_beyond_the_budget_is_not_run_but_remembered(tiny_model: TorchModule, small_images: Tensor) -> None:
    one = facade(tiny_model, small_images[:1], [0], budget=2)
    x = small_images[:1].clone().requires_grad_(True)
    one(x).sum().backward()
    with pytest.raises(BudgetSpent):
        one(x + 0.5)
    assert torch.equal(one.last()[0], x.detach() + 0.5)
    leaf = x.detach().clone().requires_grad_(True)
    other = facade(tiny_model, small_images[:1], [0], budget=1)
    logits = other(leaf)
    with pytest.raises(BudgetSpent):
        logits.sum().backward()


def test_a_black_box_has_no_gradients(small_images: Tensor) -> None:
    box = BlackBox(lambda x: np.stack([x.mean(axis=(1, 2, 3)), x[:, 0, 0, 0] - 1], axis=1), "box", "logits")
    one = facade(box, small_images[:1], [0])
    logits = one(small_images[:1].clone().requires_grad_(True))
    with pytest.raises(InvalidSetting, match=r"^the attack asks for gradients, which box does not offer; choose"):
        logits.sum().backward()
    assert spent(one)[0] == 1


def test_looks_like_a_module_to_others(tiny_model: TorchModule, small_images: Tensor) -> None:
    one = facade(tiny_model, small_images[:1], [0])
    assert not one.training
    assert next(one.parameters()).device == torch.device("cpu")
    assert not any(part.requires_grad for part in one.parameters())
    copy.deepcopy(one)(small_images[:1].double())
    assert spent(one)[0] == 1, "the passes of a copy count"
    assert one(small_images[:0]).shape == (0, 4)
    doubled = small_images[:1].double().requires_grad_(True)
    assert torch.autograd.grad(one(doubled).sum(), doubled)[0].dtype == torch.float64
