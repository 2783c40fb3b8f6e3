"""Data sets of the library ``datasets`` in memory; the library itself is not needed, a stand-in will do."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unnerve
from unnerve.core.errors import InvalidData

ROWS = {"x": [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "label": [1, 0, 1]}


class Features(dict[str, Any]):
    def to_dict(self) -> dict[str, Any]:
        return dict(self)


class Stream:
    column_names = ("x", "label")
    features = Features(x={"_type": "List"}, label={"_type": "ClassLabel", "names": ["cat", "dog"]})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True))


class Dataset(Stream):
    def __len__(self) -> int:
        return 3

    def with_format(self, kind: str) -> "Dataset":
        assert kind == "arrow"
        return self

    def __getitem__(self, rows: slice) -> pa.Table:
        return pa.table(ROWS)[rows]


class Splits(dict[str, Any]):
    column_names = ()


for one in (Stream, Dataset, Splits):
    one.__module__ = "datasets.arrow_dataset"


@pytest.mark.parametrize("made", [Dataset, Stream])
def test_inputs_labels_and_names_of_classes(made: type[Stream]) -> None:
    found = unnerve.examples(made())
    assert (found.classes, found.shape) == (("cat", "dog"), (2,))
    assert found.label_array().tolist() == [1, 0, 1]  # type: ignore[union-attr]
    assert np.allclose(found.batch([2, 0]).inputs.numpy(), [[0.5, 0.6], [0.1, 0.2]])
    assert len(unnerve.examples(made(), limit=2)) == 2


def test_a_dict_of_splits_is_named() -> None:
    with pytest.raises(InvalidData, match="Splits: must be one data set, got splits: take one of train, test"):
        unnerve.examples(Splits(train=Dataset(), test=Dataset()))
