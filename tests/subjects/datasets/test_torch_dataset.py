from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets.torch_dataset import torch_dataset


class Listed(Dataset[Any]):
    def __init__(self, items: list[Any], **more: Any) -> None:
        self.items, self.asked = items, 0
        vars(self).update(more)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, row: int) -> Any:
        self.asked += 1
        return self.items[row]


def test_takes_a_tensor_dataset() -> None:
    x, y = torch.rand(5, 1, 4, 4), torch.arange(5)
    batch = torch_dataset(TensorDataset(x, y)).batch([4, 1])
    assert torch.equal(batch.inputs, x[[4, 1]])
    assert batch.labels is not None
    assert batch.labels.tolist() == [4, 1]
    assert torch_dataset(TensorDataset(x)).labels is None


@pytest.mark.parametrize(
    ("item", "shape"),
    [
        (torch.rand(2, 3), (2, 3)),
        (torch.zeros(2, 3, dtype=torch.uint8), (2, 3)),
        (torch.zeros(2, 3, dtype=torch.bfloat16), (2, 3)),
        (np.zeros((2, 3)), (2, 3)),
        (Image.new("L", (6, 5)), (1, 5, 6)),
        (Image.new("RGB", (6, 5)), (3, 5, 6)),
    ],
)
def test_takes_tensors_arrays_and_images(item: Any, shape: tuple[int, ...]) -> None:
    for given in (item, (item,), (item, 0), [item, torch.tensor(0)], (item, np.int64(0))):
        examples = torch_dataset(Listed([given] * 3))
        assert examples.batch(range(3)).inputs.shape == (3, *shape)


def test_is_lazy_where_labels_are_at_hand() -> None:
    items = [(torch.zeros(2), label) for label in range(6)]
    data = Listed(items, targets=list(range(6)), classes=list("abcdef"))
    examples = torch_dataset(data)
    assert data.asked == 1
    assert examples.classes == tuple("abcdef")
    part = torch_dataset(Subset(data, [5, 2]))
    assert part.label_array() is not None
    assert np.array_equal(part.label_array(), [5, 2])  # type: ignore[arg-type]
    assert data.asked == 2


def test_collects_labels_in_one_pass_otherwise() -> None:
    items = [(torch.zeros(2), label) for label in (3, 1, 2)]
    for data in (Listed(items), Listed(items, targets=[0, 0, 0], target_transform=lambda label: label)):
        examples = torch_dataset(data)
        assert np.array_equal(examples.label_array(), [3, 1, 2])  # type: ignore[arg-type]
        assert data.asked == 1 + 3


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter([torch.zeros(2)])


def test_refuses_streams() -> None:
    with pytest.raises(InvalidData, match="stream: the data set must be map-style, with a length, got Stream"):
        torch_dataset(Stream(), "stream")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "the data set is empty"),
        ([{"x": 1}], r"items must be x, \(x, y\) or a dict .* got a dict with x at 0"),
        ([(torch.zeros(2), 1, 2)], r"got \(Tensor, int, int\) at 0"),
        ([torch.zeros(2, dtype=torch.int64)], "inputs must be uint8 or floating point, got int64 at 0"),
        ([(torch.zeros(2), 0.5)], "labels must be integers, got 0.5 in row 1"),
    ],
)
def test_refuses_wrong_items(items: list[Any], message: str) -> None:
    with pytest.raises(InvalidData, match=f"torch_dataset: .*{message}"):
        torch_dataset(Listed(items))


def test_names_an_item_of_another_shape() -> None:
    examples = torch_dataset(Listed([torch.zeros(2), torch.zeros(3)]))
    with pytest.raises(InvalidData, match=r"items must have the shape \(2,\), got \(3,\) at 1"):
        examples.batch(range(2))


def test_labels_may_be_names() -> None:
    items = [(torch.zeros(2), name) for name in ("dog", "cat", "dog")]
    found = torch_dataset(Listed(items))
    assert found.classes == ("cat", "dog")
    assert np.array_equal(found.label_array(), [1, 0, 1])  # type: ignore[arg-type]
    known = torch_dataset(Listed(items, classes=["dog", "emu", "cat"]))
    assert np.array_equal(known.label_array(), [0, 2, 0])  # type: ignore[arg-type]
