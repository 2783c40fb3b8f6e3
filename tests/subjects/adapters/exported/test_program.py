import pickle

import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.exported.networks import NETWORKS, exported
from unnerve.subjects.adapters.exported.opening import opened_program
from unnerve.subjects.adapters.exported.operations import Call, Constant, Operation, Rows, Value
from unnerve.subjects.adapters.exported.program import FixedBatch, Output, Program, Step
from unnerve.subjects.declaration import ExpectedInput

EXPECTED = ExpectedInput("net", (4,))


def program(output: Output) -> Program:
    """Return relu(x + bias), then the same twice as wide."""
    add = Operation(Call("aten.add.Tensor", (Value(0), Constant("bias"))), {"bias": nn.Parameter(torch.ones(4))})
    relu = Operation(Call("aten.relu.default", (Value(0),)), {})
    again = Call("aten.cat.default", ((Value(2), Value(2)), 1))
    shaped = Call("aten.view.default", (Value(3), (Rows(2), 4)))
    steps = [Step("block.add", (0,)), Step("relu", (1,)), Step(again), Step(shaped)]
    return Program(steps, {"block.add": add, "relu": relu}, {}, output, EXPECTED)


def test_runs_its_steps_on_any_number_of_inputs() -> None:
    x = torch.tensor([[-3.0, -1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    expected = (x + 1).relu()
    made = program(Output((2, 4)))
    assert [name for name, _ in made.named_parameters()] == ["block.add.bias"]
    for rows in (1, 2):
        first, second = made(x[:rows])
        assert torch.equal(first, expected[:rows])
        assert torch.equal(second, expected[:rows].repeat_interleave(2, dim=0))


def test_returns_a_dict_by_names() -> None:
    found = program(Output((2, 3), ("narrow", "wide")))(torch.zeros(3, 4))
    assert {name: tuple(part.shape) for name, part in found.items()} == {"narrow": (3, 4), "wide": (3, 8)}


def test_values_are_freed_after_their_last_use() -> None:
    assert program(Output((4,)))._last_uses == ((0,), (1,), (2,), (3,))
    assert program(Output((1, 4)))._last_uses == ((0,), (), (2,), (3,))


@pytest.mark.parametrize("count", [1, 3, 4, 7])
def test_a_fixed_number_of_inputs_is_asked_for_in_parts(count: int) -> None:
    class Three(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
            assert len(x) == 3
            return x * 2, {"more": x + 1}

    x = torch.arange(count * 4.0).view(count, 4)
    doubled, more = FixedBatch(Three(), 3, EXPECTED)(x)
    assert torch.equal(doubled, x * 2)
    assert torch.equal(more["more"], x + 1)


@pytest.mark.filterwarnings("ignore")
def test_travels_to_other_processes(small_images: Tensor) -> None:
    made = opened_program(exported(NETWORKS["residual"]().eval(), 1), "net.pt2").module
    other = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    with torch.no_grad():
        assert torch.equal(other(small_images), made(small_images))
    assert repr(other) == repr(made)
