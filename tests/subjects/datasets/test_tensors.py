from typing import Any

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidData, UnknownName
from unnerve.subjects.datasets.tensors import tensors


def test_takes_tensors_and_arrays() -> None:
    x = torch.rand(4, 1, 5, 5)
    for given in (x, x.numpy(), x.double(), x.clone().requires_grad_()):
        batch = tensors(given, [3, 1, 0, 2]).batch([2, 0])
        assert torch.equal(batch.inputs, x[[2, 0]])
        assert batch.labels is not None
        assert batch.labels.tolist() == [0, 3]


def test_takes_bfloat16() -> None:
    assert tensors(torch.ones(2, 3, dtype=torch.bfloat16)).batch([0]).inputs.tolist() == [[1, 1, 1]]


def test_bytes_are_images() -> None:
    assert tensors(torch.zeros(4, 28, 28, dtype=torch.uint8)).shape == (1, 28, 28)
    assert tensors(np.zeros((4, 28, 28), np.uint8)).shape == (1, 28, 28)
    assert tensors(np.zeros((4, 28, 28, 3))).shape == (3, 28, 28)


@pytest.mark.parametrize("shape", [(4, 50, 12), (4, 1, 100), (4, 28, 28), (4, 2, 9, 3)])
def test_series_are_no_images(shape: tuple[int, ...]) -> None:
    for x in (np.zeros(shape), torch.zeros(shape)):
        assert tensors(x).batch([0]).inputs.shape == (1, *shape[1:])
    assert tensors(np.zeros((4, 1, 100), np.uint8)).shape == (1, 100)


def test_labels_may_be_missing_or_named() -> None:
    x = np.zeros((2, 3))
    assert tensors(x).labels is None
    assert tensors(x, torch.tensor([0, 1]), ["a", "b"]).classes == ("a", "b")
    with pytest.raises(InvalidData, match=r"tensors: labels must be in \[0, 0\], got 1"):
        tensors(x, torch.tensor([0, 1]), ["a"])


def test_refuses_wrong_data() -> None:
    x = np.zeros((2, 3))
    with pytest.raises(InvalidData, match="mine: 2 inputs but 3 labels"):
        tensors(x, [0, 1, 2], name="mine")
    with pytest.raises(InvalidData, match=r"labels must be integers, got 0\.5 in row 1"):
        tensors(x, torch.full((2,), 0.5))
    with pytest.raises(InvalidData, match="inputs must be uint8 or floating point, got int64"):
        tensors(torch.zeros(2, 3, dtype=torch.int64))
    with pytest.raises(InvalidData, match="the data set is empty"):
        tensors(np.zeros((0, 3)))
    with pytest.raises(InvalidData, match="finite"):
        tensors(np.full((2, 3), np.nan)).batch([0])


@pytest.mark.parametrize(
    "y", [["dog", "cat", "dog"], np.array(["dog", "cat", "dog"], object), np.array([b"dog", b"cat", b"dog"])]
)
def test_labels_may_be_names(y: Any) -> None:
    found = tensors(torch.zeros(3, 2), y)
    assert found.classes == ("cat", "dog")
    assert np.array_equal(found.label_array(), [1, 0, 1])  # type: ignore[arg-type]
    known = tensors(torch.zeros(3, 2), y, classes=["dog", "emu", "cat"])
    assert np.array_equal(known.label_array(), [0, 2, 0])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown label 'dog'; did you mean doge"):
        tensors(torch.zeros(3, 2), y, classes=["doge", "cat"])


def test_labels_may_be_whole_numbers_of_any_type() -> None:
    for y in ([1.0, 0.0], np.array([True, False]), torch.tensor([1.0, 0.0])):
        assert np.array_equal(tensors(torch.zeros(2, 2), y).label_array(), [1, 0])  # type: ignore[arg-type]
