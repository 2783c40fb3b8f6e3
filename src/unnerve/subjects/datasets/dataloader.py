"""PyTorch's DataLoader."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, SequentialSampler
from torch.utils.data._utils.collate import default_collate

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._items import item
from unnerve.subjects.datasets.iterable import iterable
from unnerve.subjects.datasets.torch_dataset import torch_dataset

__all__ = ["dataloader"]


def dataloader(loader: DataLoader[Any], name: str = "dataloader", limit: int | None = None) -> Examples:
    """Return the examples of a data loader.

    Parameters
    ----------
    loader : DataLoader
        One that only batches or shuffles a map-style data set is passed over: the data set is read, in its own order,
        when inputs are needed. Of others (a stream, a sampler or a ``collate_fn`` of your own), the batches of one
        pass are collected: x, (x, y) or dicts with both.
    name : str
        Of the data, shown in messages and reports.
    limit : int, optional
        Take only the first so many inputs of a pass.

    Returns
    -------
    Examples of the shape of one x
    """
    # Read by row number, inputs keep their ids from run to run, whatever the loader shuffles.
    if _only_batches(loader):
        return torch_dataset(loader.dataset, name)
    return iterable(
        _rows(loader, name) if loader.batch_size is not None or loader.batch_sampler else loader, name, limit
    )


def _only_batches(loader: DataLoader[Any]) -> bool:
    """Say whether a pass yields every item of the data set once, unchanged."""
    if isinstance(loader.dataset, IterableDataset) or loader.collate_fn is not default_collate:
        return False
    # The exact type: a subclass may leave out or repeat items.
    if type(loader.batch_sampler) is not BatchSampler or loader.drop_last:
        return False
    sampler = loader.batch_sampler.sampler
    whole = isinstance(sampler, RandomSampler) and not sampler.replacement and len(sampler) == len(sampler.data_source)
    return type(sampler) is SequentialSampler or whole


def _rows(loader: DataLoader[Any], name: str) -> Iterator[tuple[np.ndarray, Any]]:
    for number, batch in enumerate(loader):
        inputs, labels = item(batch, number, name)
        for row, x in enumerate(inputs):
            yield x, None if labels is None else labels[row] if hasattr(labels, "__getitem__") else labels
