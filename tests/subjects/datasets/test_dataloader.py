from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset, SubsetRandomSampler, TensorDataset

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.dataloader import dataloader

X, Y = torch.arange(10.0).div(10).view(10, 1).repeat(1, 3), torch.arange(10)


def contents(found: Examples) -> tuple[list[float], list[int] | None]:
    labels = found.label_array()
    firsts = found.batch(range(len(found))).inputs[:, 0].mul(10).round().tolist()
    return firsts, None if labels is None else labels.tolist()


class Stream(IterableDataset[Any]):
    def __init__(self, count: int | None = None) -> None:
        self.count = count

    def __iter__(self) -> Iterator[tuple[Tensor, int]]:
        row = 0
        while row != self.count:
            yield X[row % 10], row % 10
            row += 1


class Counted(Dataset[Any]):
    asked = 0

    def __len__(self) -> int:
        return 10

    def __getitem__(self, row: int) -> dict[str, Any]:
        Counted.asked += 1
        return {"image": X[row], "label": row}


@pytest.mark.parametrize("more", [{"batch_size": 4}, {"batch_size": 3, "shuffle": True}, {}])
def test_a_loader_that_only_batches_is_passed_over(more: dict[str, Any]) -> None:
    found = dataloader(DataLoader(TensorDataset(X, Y), **more))
    assert contents(found) == (list(range(10)), list(range(10)))
    assert isinstance(examples(DataLoader(TensorDataset(X, Y), **more)), Examples)


def test_inputs_are_asked_of_the_data_set_when_they_are_needed() -> None:
    found = dataloader(DataLoader(Counted(), batch_size=5))
    Counted.asked = 0
    found.batch(range(2))
    assert Counted.asked == 2


def test_other_samplers_and_collations_are_run_once() -> None:
    found = dataloader(DataLoader(TensorDataset(X, Y), batch_size=2, sampler=SubsetRandomSampler([3])))
    assert contents(found) == ([3], [3])
    doubled = DataLoader(TensorDataset(X, Y), 4, collate_fn=lambda rows: {"x": torch.stack([x for x, _ in rows]) / 2})
    halves = dataloader(doubled).batch(range(10)).inputs[:, 0]
    assert torch.allclose(halves, X[:, 0] / 2)
    dropped = dataloader(DataLoader(TensorDataset(X, Y), batch_size=4, drop_last=True))
    assert len(dropped) == 8


@pytest.mark.parametrize("size", [1, 4, None])
def test_streams_are_collected(size: int | None) -> None:
    found = dataloader(DataLoader(Stream(7), batch_size=size))
    assert contents(found) == (list(range(7)), list(range(7)))


@pytest.mark.parametrize("source", [Stream(), DataLoader(Stream(), batch_size=4)])
def test_an_endless_stream_ends_at_the_limit(source: Any) -> None:
    found = examples(source, limit=13)
    assert len(found) == 13
    assert np.array_equal(found.label_array(), np.arange(13) % 10)  # type: ignore[arg-type]


def test_problems_are_one_line() -> None:
    with pytest.raises(InvalidData, match="dataloader: the data set is empty"):
        dataloader(DataLoader(Stream(0), batch_size=2))
    with pytest.raises(InvalidData, match=r"items must be x, \(x, y\) or a dict .*, got a dict with text at 0"):
        dataloader(DataLoader(Stream(4), batch_size=2, collate_fn=lambda rows: {"text": "?"}))
