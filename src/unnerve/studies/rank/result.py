"""Inputs in an order of suspicion: a table that can be kept."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from unnerve.core.data.class_names import class_called, telling
from unnerve.core.data.examples import Examples
from unnerve.core.data.provenance import Provenance
from unnerve.core.errors import OutputRefused
from unnerve.core.results import Result
from unnerve.core.storage.files import check_writable, whole_file
from unnerve.core.storage.printable import table_cell
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.rank.scored import Scored

__all__ = ["Ranking", "writable_table"]

_SUFFIXES = (".csv", ".parquet")


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Inputs in an order of suspicion.

    Parameters
    ----------
    score : str
        The score that made the order.
    order : int64 array of shape (N,)
        Row numbers, the most suspect first; ties keep the data's order.
    scored : Scored
        In the data's order.
    data : Examples
        What was ranked.
    seconds : float
        Time of the pass.
    provenance : Provenance or None
        How the ranking came about.

    Examples
    --------
    >>> import unnerve
    >>> order = unnerve.rank("zoo:lenet5", "mnist5k")
    >>> order.save("ranking.csv")
    """

    score: str
    order: np.ndarray
    scored: Scored
    data: Examples
    seconds: float
    provenance: Provenance | None = None

    def __len__(self) -> int:
        return len(self.order)

    def table(self) -> pa.Table:
        """Return a table with ``id, score, rank, predicted, confidence`` (and ``label`` if known), in rank order.

        Where the data names its classes, ``predicted_name`` and ``label_name`` follow.
        """
        labels = self.data.label_array()
        columns: dict[str, Any] = {
            "id": pa.array(self.data.ids(self.order.tolist())),
            "score": self.scored.scores[self.score][self.order],
            "rank": np.arange(1, len(self) + 1),
            "predicted": self.scored.predicted[self.order],
            "confidence": self.scored.confidence[self.order],
        }
        if labels is not None:
            columns["label"] = labels[self.order]
        named = [key for key in ("predicted", "label") if key in columns and telling(self.data.classes)]
        return pa.table(columns | {f"{key}_name": self._names(columns[key]) for key in named})

    def _names(self, numbers: np.ndarray) -> list[str]:
        return [class_called(self.data.classes, number) for number in numbers.tolist()]

    @cached_property
    def accuracy(self) -> Accuracy:
        """How often the model is right, and what makes its answers look wrong as a whole."""
        return self.scored.accuracy(self.data)

    def summary(self) -> dict[str, Any]:
        """Return the stable figures as JSON."""
        figures = {"score": self.score, "count": len(self), "skipped": len(self.data.skipped)}
        return {**figures, **self.accuracy.figures(), "seconds": self.seconds}

    def headline(self) -> str:
        """Return what was ranked, in one line."""
        return f"{len(self):,} inputs of {self.data.name} by {self.score}, most suspect first"

    def save(self, path: str | Path) -> None:
        """Write the table as ``.csv`` or ``.parquet``: the whole file or none."""
        path = writable_table(path)
        with whole_file(path) as part:
            if path.suffix == ".csv":
                pa.csv.write_csv(_for_table_programs(self.table()), part)
            else:
                pa.parquet.write_table(self.table(), part)


def _for_table_programs(table: pa.Table) -> pa.Table:
    """Return a table whose texts no table program takes for formulas; Parquet keeps them as they are."""
    for place, name in enumerate(table.column_names):
        if pa.types.is_string(table[name].type):
            cells = [None if one is None else table_cell(one) for one in table[name].to_pylist()]
            table = table.set_column(place, name, pa.array(cells, pa.string()))
    return table


def writable_table(path: str | Path) -> Path:
    """Return the path of a table, or raise before any work is done if it cannot be written there."""
    path = Path(path)
    if path.suffix not in _SUFFIXES:
        raise OutputRefused(f"a ranking is written as {' or '.join(_SUFFIXES)}, got '{path}'")
    check_writable(path)
    return path
