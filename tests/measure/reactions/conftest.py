"""A network of three neurons whose every value can be worked out by hand."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.reference import Reference
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.torch_module import TorchModule

Stage = tuple[Subject[Metered], Seeds]


@pytest.fixture
def three() -> nn.Sequential:
    """Return hidden = relu(a, b, a + b - 0.5), answer = (h1 + h3, h2 + 2 h3) for an input (a, b)."""
    hidden, answer = nn.Linear(2, 3), nn.Linear(3, 2)
    hidden.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    hidden.bias.data = torch.tensor([0.0, 0.0, -0.5])
    answer.weight.data = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0]])
    answer.bias.data = torch.tensor([0.25, 0.0])
    return nn.Sequential(OrderedDict(hidden=hidden, relu=nn.ReLU(), answer=answer))


class Product(nn.Module):
    """A network whose loss for class 0 is w = 1 + h1 + 2 h1 h2 + h2 h3, where h = relu(input)."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        h1, h2, h3 = self.relu(x).unbind(dim=1)
        w = 1 + h1 + 2 * h1 * h2 + h2 * h3
        # log(1 + e^b) is the loss of class 0 for the logits (0, b).
        return torch.stack([torch.zeros_like(w), w.expm1().log()], dim=1)


@pytest.fixture
def product() -> Product:
    return Product()


@pytest.fixture
def stage() -> Callable[..., Stage]:
    """Return stage(module, inputs, labels, neurons=None, spread=None) -> a metered subject and seeds."""

    def made(
        module: nn.Module,
        inputs: Tensor,
        labels: Sequence[int],
        neurons: str | None = None,
        spread: Sequence[float] | None = None,
    ) -> Stage:
        model = TorchModule(module, "net", outputs="logits", neurons=neurons)
        metered = Metered(model, Meter(len(inputs)))
        reference = None
        if spread is not None:
            reference = Reference(model.neuron_map(inputs), torch.tensor(spread), 1)
        batch = Batch(inputs, torch.tensor(labels), tuple(map(str, range(len(inputs)))))
        seeds = Seeds(batch, metered.of(torch.arange(len(inputs))).observe(inputs))
        return Subject(metered, Context(reference=reference)), seeds

    return made
