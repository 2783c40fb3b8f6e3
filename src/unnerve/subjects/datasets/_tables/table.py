"""Examples out of a table that is read block by block: inputs, labels, and what is known of each column."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from unnerve.core.data.examples import Examples, Rows
from unnerve.core.data.features import Features
from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import check_table, check_unpacked
from unnerve.subjects.datasets._labels import labels_and_classes
from unnerve.subjects.datasets._spool import spooled
from unnerve.subjects.datasets._tables.column_figures import ColumnFigures
from unnerve.subjects.datasets._tables.column_rows import Recoded
from unnerve.subjects.datasets._tables.columns import Roles, is_bytes, is_text

__all__ = ["table_examples"]


def table_examples(
    name: str, batches: Iterable[pa.RecordBatch], roles: Roles, labels: Any = None, classes: Sequence[str] = ()
) -> Examples:
    """Read a table once.

    Parameters
    ----------
    name : str
        Of the data.
    batches : iterable of RecordBatch
    roles : Roles
        Of the columns.
    labels : array or sequence of shape (N,), optional
        Where no column holds them.
    classes : sequence of str
        Names of the classes, if they are known.
    """
    reading = _Reading(name, roles)
    # One pass: what is known of the columns is complete when the last block has been stored.
    rows: Rows = spooled(reading.blocks(batches), name)
    features = reading.features()
    codes = {place: reading.columns[one.name].final_codes() for place, one in enumerate(features.columns) if one.values}
    given = labels if roles.label is None else np.concatenate(reading.labels)
    numbers, names = None, tuple(classes)
    if given is not None:
        numbers, names = labels_and_classes(given, name, rows.shape[0], classes)
    return Examples(
        name,
        Recoded(rows, codes) if codes else rows,
        numbers,
        names,
        value_range=features.value_range,
        # Ids that occur twice name nothing: findings would be mistaken for each other.
        names=reading.ids if len(set(reading.ids)) == rows.shape[0] else None,
        features=features,
    )


@dataclass(eq=False)
class _Reading:
    """One pass over a table, and what it showed."""

    name: str
    roles: Roles
    labels: list[np.ndarray] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    kept: int = 0

    def __post_init__(self) -> None:
        self.columns = {name: ColumnFigures(ordered=name in self.roles.ordered) for name in self.roles.features}

    def blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[np.ndarray]:
        """Yield inputs (n, F), float32, and note all else; texts are coded in the order in which they came."""
        start = 0
        for batch in batches:
            if batch.num_rows == 0:
                continue
            check_table(start + batch.num_rows, len(self.roles.features), self.name)
            values = [self._numbers(batch.column(name), name, start) for name in self.roles.features]
            if self.roles.label is not None:
                self.labels.append(self._label(batch.column(self.roles.label), start))
            if self.roles.id is not None:
                self.ids.extend(map(str, self._plain(batch.column(self.roles.id))))
            start += batch.num_rows
            yield np.stack(values, axis=1).astype(np.float32)

    def features(self) -> Features:
        """Return what is known of the columns."""
        return Features(tuple(column.feature(name, self._kind(name)) for name, column in self.columns.items()))

    def _kind(self, name: str) -> str:
        if name in self.roles.categories:
            return "category"
        return "whole" if name in self.roles.whole and self.columns[name].whole else "real"

    def _numbers(self, values: pa.Array, name: str, start: int) -> np.ndarray:
        self._check_filled(values, name, start)
        if is_text(values.type):
            before = len(self.columns[name].codes)
            codes = self.columns[name].coded(values)
            self._keep(list(self.columns[name].codes)[before:])
            return codes
        plain = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        plain = plain.cast(pa.int8()) if pa.types.is_boolean(plain.type) else plain
        numbers: np.ndarray = plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        # Models take float32: a number that is finite only in double precision would reach them as infinity.
        with np.errstate(over="ignore"):
            wrong = np.flatnonzero(~np.isfinite(numbers.astype(np.float32)))
        if len(wrong):
            place = f"in row {start + int(wrong[0]) + 1}, column '{name}'"
            raise InvalidData(f"{self.name}: cells must be finite numbers, got {numbers[wrong[0]]:g} {place}")
        self.columns[name].note(numbers)
        return numbers

    def _label(self, values: pa.Array, start: int) -> np.ndarray:
        self._check_filled(values, str(self.roles.label), start)
        return self._plain(values)

    def _plain(self, values: pa.Array) -> np.ndarray:
        """Return values as NumPy has them; equal texts, of any length, are one object."""
        if not is_bytes(values.type):
            return np.asarray(values.to_pylist())
        coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        # Every batch comes with the texts of all its neighbours.
        used, places = np.unique(coded.indices.drop_null().to_numpy(), return_inverse=True)
        known = coded.dictionary.take(pa.array(used)).to_pylist()
        self._keep(known)
        texts, found = np.empty(len(known), dtype=object), np.full(len(coded), None, dtype=object)
        texts[:] = known
        found[coded.indices.is_valid().to_numpy(zero_copy_only=False)] = texts[places]
        return found

    def _keep(self, texts: Sequence[str | bytes]) -> None:
        self.kept += sum(len(one) for one in texts if one is not None)
        check_unpacked(self.kept, f"{self.name}: its texts")

    def _check_filled(self, values: pa.Array, name: str, start: int) -> None:
        empty = _is_empty(values)
        if pa.types.is_dictionary(values.type):
            wrong = pa.compute.indices_nonzero(_is_empty(values.dictionary)).cast(values.type.index_type)
            empty = pa.compute.or_(empty, pa.compute.is_in(values.indices, wrong))
        first = pa.compute.index(empty, True).as_py()
        if first >= 0:
            raise InvalidData(
                f"{self.name}: cells must not be empty, got none in row {start + first + 1}, column '{name}'"
            )


def _is_empty(values: pa.Array) -> pa.Array:
    # Only the index is looked at of what is coded: a long text of a small file, once for every row, is too much.
    plain = not pa.types.is_dictionary(values.type) and is_text(values.type)
    return pa.compute.or_kleene(values.is_null(), pa.compute.equal(values, "")) if plain else values.is_null()
