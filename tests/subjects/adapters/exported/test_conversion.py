import pytest
import torch
from torch import Tensor, fx, nn

from tests.subjects.adapters.exported.networks import exported
from unnerve.subjects.adapters.exported.conversion import Unsupported, converted, trains
from unnerve.subjects.adapters.exported.operations import Rows
from unnerve.subjects.declaration import ExpectedInput

EXPECTED = ExpectedInput("net", (1, 8, 8))
pytestmark = pytest.mark.filterwarnings("ignore")


class Viewing(nn.Module):
    """Views with the batch size in their shapes, and one of a weight that has it there by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.arange(64.0))

    def forward(self, x: Tensor) -> Tensor:
        table = self.table.view(2, 32).reshape(1, 64)
        return x.reshape(x.shape[0] * 4, 16).view(x.shape[0], 64) * table


def graph(net: nn.Module, batch: int | None) -> fx.GraphModule:
    module = exported(net, batch).module()
    assert isinstance(module, fx.GraphModule)
    return module


def test_the_batch_size_is_put_where_it_stands_first_in_a_shape(small_images: Tensor) -> None:
    net = Viewing()
    program = converted(graph(net, 2), None, EXPECTED, 2)
    shapes = [part for step in program.steps if not isinstance(step.call, str) for part in step.call.parts()]
    assert [one.times for one in shapes if isinstance(one, Rows)] == [4, 1]
    assert torch.equal(program(small_images), net(small_images))


def test_what_does_not_depend_on_the_input_is_computed_once() -> None:
    program = converted(graph(Viewing(), 2), None, EXPECTED, 2)
    assert len(program.steps) == 3
    assert [tuple(one.shape) for one in program.state_dict().values()] == [(1, 64)]


def test_training_mode_is_seen() -> None:
    net = nn.Sequential(nn.Dropout(0.5), nn.Flatten())
    assert trains(graph(net.train(), None))
    assert not trains(graph(net.eval(), None))


def test_an_output_must_depend_on_the_input() -> None:
    class Deaf(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.answer = nn.Parameter(torch.ones(2, 3))

        def forward(self, x: Tensor) -> Tensor:
            return self.answer * 2

    with pytest.raises(Unsupported, match="does not depend on the input"):
        converted(graph(Deaf(), 2), None, EXPECTED, 2)
