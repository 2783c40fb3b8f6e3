import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis, batch_axes

ONE, OTHER = torch.arange(12.0).view(1, 3, 4), 100 + torch.arange(12.0).view(1, 3, 4)
TWO, THREE = torch.cat([ONE, OTHER]), torch.cat([ONE, ONE, OTHER])


@pytest.mark.parametrize(
    ("two", "three", "expected"),
    [
        (TWO, THREE, BatchAxis(0)),
        (TWO.transpose(0, 1), THREE.transpose(0, 1), BatchAxis(1)),
        (TWO.movedim(0, 2), THREE.movedim(0, 2), BatchAxis(2)),
        (ONE, ONE, BatchAxis(None)),
        (TWO.flatten(0, 1), THREE.flatten(0, 1), BatchAxis(0, together=True)),
        (TWO.transpose(0, 1).flatten(0, 1), THREE.transpose(0, 1).flatten(0, 1), BatchAxis(0, together=False)),
    ],
)
def test_finds_the_inputs(two: Tensor, three: Tensor, expected: BatchAxis) -> None:
    assert batch_axes([two], [three], "net") == (expected,)


def test_rounding_is_no_difference() -> None:
    near = TWO.transpose(0, 1).flatten(0, 1) * (1 + 1e-6)
    assert batch_axes([near], [THREE.transpose(0, 1).flatten(0, 1)], "net") == (BatchAxis(0, together=False),)


def test_refuses_dropout_for_each_row_in_turn() -> None:
    with pytest.raises(InvalidModel, match="net calls dropout 2 times for 2 inputs and 3 times for 3"):
        batch_axes([ONE] * 2, [ONE] * 3, "net")


def test_refuses_a_tensor_without_an_axis_for_the_inputs() -> None:
    with pytest.raises(InvalidModel, match=r"of shape \(3, 4\) for 2 inputs and \(4, 4\) for 3: no axis"):
        batch_axes([torch.zeros(3, 4)], [torch.zeros(4, 4)], "net")
