"""Examples: what a model is tested on, read in blocks so that data larger than memory works."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from numbers import Integral
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.clips import Clips
from unnerve.core.data.conversion import converted
from unnerve.core.data.features import Features
from unnerve.core.data.openings import Opening
from unnerve.core.data.ranges import UNIT, ValueRange, range_text
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.progress import show_work

__all__ = ["Batch", "Examples", "Rows"]

_BLOCK_BYTES = 2**26
"""Largest block that is read at a time, in float32: 111 photos of 224x224 pixels."""

_LEAST = 32
"""Inputs of a block at least: networks round differently in smaller batches."""


class Rows(Protocol):
    """Raw inputs, one a row: an array, a file read piece by piece, a folder of images ...

    ``read`` returns uint8 (0 to 255, an image) or floating-point rows in the order asked for.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, ...): the number of inputs and the shape of one, as a model takes it (C, H, W for images)."""
        ...

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows, shape (len(rows), ...)."""
        ...


@dataclass(frozen=True)
class Batch:
    """Some examples in memory.

    Parameters
    ----------
    inputs : Tensor of shape (N, ...), float32
    labels : Tensor of shape (N,), int64, or None
    ids : tuple of N str
    value_range : (float, float)
        Of the data set they are of: every value of every input lies in it.
    """

    inputs: Tensor
    labels: Tensor | None
    ids: tuple[str, ...]
    value_range: ValueRange = UNIT

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> "Batch":
        """Return consecutive examples; they share their memory with these."""
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, inputs=self.inputs[rows], labels=labels, ids=self.ids[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Examples:
    """A data set: inputs with ids, labels or none, and the range of their values.

    torch's ``DataLoader`` takes it as it is, so that one can train on it in a loop of one's own.

    Parameters
    ----------
    name : str
        How the user named it; shown in reports.
    source : Rows
        Raw inputs; uint8 rows are divided by 255.
    labels : int64 array of shape (N,), or None
    classes : tuple of str
        Names of the classes, empty if unknown.
    value_range : (float, float)
        Every value of every input lies in it.
    names : sequence of str, or None
        Ids of the inputs; row numbers if None.
    stored : (float, float), optional
        The range of the values as they are stored, if they are brought from it to ``value_range``.
    rows : int64 array, or None
        Which rows of the source, in this order; all if None.
    opening : Opening or None
        How it was opened, if it was; unknown of what was made or chosen in Python.
    skipped : tuple of str
        Names of inputs that could not be read and were left out, as asked for.
    features : Features or None
        What is known of the columns, if the inputs are the rows of a table.
    clips : Clips or None
        What is known of them, if the inputs are sounds.

    Examples
    --------
    >>> import unnerve
    >>> digits = unnerve.examples("digits")
    >>> digits.take([3, 5]).batch([0, 1]).inputs.shape
    torch.Size([2, 1, 8, 8])
    """

    name: str
    source: Rows
    labels: np.ndarray | None = None
    classes: tuple[str, ...] = ()
    value_range: ValueRange = UNIT
    names: Sequence[str] | None = None
    stored: ValueRange | None = None
    rows: np.ndarray | None = None
    opening: Opening | None = None
    skipped: tuple[str, ...] = ()
    features: Features | None = None
    clips: Clips | None = None

    def __post_init__(self) -> None:
        if self.labels is not None and len(self.labels) != self.source.shape[0]:
            raise InvalidData(f"{self.name}: {self.source.shape[0]} inputs but {len(self.labels)} labels")
        if self.labels is not None and self.classes and len(self.labels):
            low, high = int(self.labels.min()), int(self.labels.max())
            if low < 0 or high >= len(self.classes):
                wrong = low if low < 0 else high
                raise InvalidData(f"{self.name}: labels must be in [0, {len(self.classes) - 1}], got {wrong}")
        if len(self) == 0:
            raise InvalidData(f"{self.name}: the data set is empty")

    def __repr__(self) -> str:
        known = "labelled" if self.labels is not None else "without labels"
        left_out = f"; {len(self.skipped):,} unreadable ones left out" if self.skipped else ""
        return f"<Examples: {len(self):,} inputs of shape {self.shape}, {known}, from {self.name}{left_out}>"

    def __len__(self) -> int:
        return self.source.shape[0] if self.rows is None else len(self.rows)

    def __getitem__(self, row: int) -> tuple[Tensor, int] | Tensor:
        """Return one input with its label, or alone if there are no labels, as torch's ``DataLoader`` takes them."""
        (one,) = self.__getitems__([row])
        return one

    def __getitems__(self, rows: Sequence[int]) -> list[tuple[Tensor, int] | Tensor]:
        """Return some inputs with their labels, read together; ``DataLoader`` asks so for a batch."""
        if not all(isinstance(row, Integral) for row in rows):
            raise TypeError(f"rows must be whole numbers, got {rows}; take(rows) returns some of the examples")
        # An IndexError ends a plain loop over the data, which numpy's counting from behind would not.
        if not all(0 <= row < len(self) for row in rows):
            raise IndexError(f"rows must be in [0, {len(self) - 1}]")
        batch = self.batch(rows)
        if batch.labels is None:
            return list(batch.inputs)
        return list(zip(batch.inputs, batch.labels.tolist(), strict=True))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one input."""
        return self.source.shape[1:]

    def ids(self, rows: Sequence[int] | range | None = None) -> tuple[str, ...]:
        """Return the ids of these rows, or of all."""
        numbers = self._numbers(range(len(self)) if rows is None else rows)
        return tuple(map(str, numbers)) if self.names is None else tuple(self.names[number] for number in numbers)

    def label_array(self) -> np.ndarray | None:
        """Return the labels of all examples, int64 of shape (N,), or None."""
        return self.labels if self.labels is None or self.rows is None else self.labels[self.rows]

    def batch(self, rows: Sequence[int] | range) -> Batch:
        """Read some examples; values are checked to be finite and inside the range."""
        numbers = self._numbers(rows)
        inputs = self._checked(self.source.read(numbers), rows)
        labels = None if self.labels is None else torch.from_numpy(self.labels[np.asarray(numbers)].astype(np.int64))
        return Batch(inputs, labels, self.ids(rows), self.value_range)

    def batches(self, size: int = 4096) -> Iterator[Batch]:
        """Read all examples in their order, at most ``size`` at a time, and fewer if they are large."""
        # The caller thinks in inputs, memory in bytes: a block of 4,096 photographs would take gigabytes.
        size = min(size, max(_LEAST, _BLOCK_BYTES // (4 * max(1, prod(self.shape)))))
        for start in range(0, len(self), size):
            yield self.batch(range(start, min(start + size, len(self))))
            show_work()

    def brought_to(self, value_range: ValueRange) -> "Examples":
        """Return the same examples with their values brought to another range."""
        if value_range == self.value_range:
            return self
        return replace(self, value_range=value_range, stored=self.stored or self.value_range)

    def take(self, rows: Sequence[int] | range) -> "Examples":
        """Return some of the examples, in this order; nothing is read or copied."""
        # No option of the command opens an arbitrary choice of rows, so how it was opened is no longer known.
        return replace(self, rows=np.asarray(self._numbers(rows), dtype=np.int64), opening=None)

    def first(self, count: int | None) -> "Examples":
        """Return the first ``count`` examples, or all if there are fewer or ``count`` is None."""
        if count is None:
            return self
        if count < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {count}")
        if count >= len(self):
            return self
        # The first ones are what the option --limit opens, so it is still known how they are.
        opening = None if self.opening is None else self.opening.but(limit=str(count))
        return replace(self.take(range(count)), opening=opening)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of inputs and labels, in hexadecimal; reads everything once."""
        digest = hashlib.blake2b(digest_size=16)
        labels = self.label_array()
        for start in range(0, len(self), 4096):  # of inputs and labels in turn, however large the inputs are
            part = self.take(range(start, min(start + 4096, len(self))))
            for batch in part.batches():
                digest.update(batch.inputs.numpy().tobytes())
            digest.update(b"" if labels is None else labels[start : start + 4096].astype(np.int64).tobytes())
        return digest.hexdigest()

    def _numbers(self, rows: Sequence[int] | range) -> Sequence[int] | range:
        if self.rows is None:
            return rows
        return [int(row) for row in self.rows[np.asarray(rows, dtype=np.int64)]]

    def _checked(self, raw: np.ndarray, rows: Sequence[int] | range) -> Tensor:
        stored = self.stored or self.value_range
        # Bytes need no look: a 255th part of one lies in [0, 1], whatever it is.
        if raw.dtype == np.uint8:
            inputs = torch.from_numpy(raw).to(torch.float32).div_(255)
        else:
            inputs = torch.from_numpy(np.ascontiguousarray(raw, dtype=np.float32))
            self._check_values(inputs, rows, stored)
        return converted(inputs, stored, self.value_range)

    def _check_values(self, inputs: Tensor, rows: Sequence[int] | range, stored: ValueRange) -> None:
        low, high = (float(bound) for bound in torch.aminmax(inputs)) if inputs.numel() else stored
        if not (np.isfinite(low) and np.isfinite(high)):
            (first,) = self.ids([rows[_first_unsound(inputs)]])
            raise InvalidData(f"{self.name}: inputs must be finite numbers, got NaN or infinity in input {first}")
        # A bound such as 0.1 has no exact float32; compared as a double, the largest valid value would be refused.
        least, most = (float(np.float32(bound)) for bound in stored)  # as the inputs are rounded
        if low < least or high > most:
            raise InvalidData(
                f"{self.name}: inputs must lie in {range_text(stored)}, got values from {low:.4g} to {high:.4g}; "
                f"say in which range they lie ({_likely_range(low, high)}), and leave normalisation to the model "
                "(--normalise)"
            )


def _first_unsound(inputs: Tensor) -> int:
    """Return the number of the first row that has NaN or infinity."""
    return int(torch.isfinite(inputs).flatten(1).all(dim=1).logical_not().int().argmax())


def _likely_range(low: float, high: float) -> str:
    """Suggest an option for values that lie outside the range."""
    if low >= 0 and high <= 255:
        return "perhaps --stored-range 0,255"
    if low >= -1 and high <= 1:
        return "perhaps --stored-range -1,1"
    return "--stored-range LOW,HIGH"
