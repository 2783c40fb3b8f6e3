"""Rows of a table with other columns, or other codes in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unnerve.core.data.examples import Rows

__all__ = ["Chosen", "Recoded"]


@dataclass(frozen=True, eq=False)
class Chosen:
    """Some columns of other rows, in this order."""

    stored: Rows
    places: Sequence[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, F)."""
        return self.stored.shape[0], len(self.places)

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows."""
        values: np.ndarray = self.stored.read(rows)[:, self.places]
        return values


@dataclass(frozen=True, eq=False)
class Recoded:
    """Rows in which the codes of some columns are exchanged: ``codes[place][code]`` stands for ``code``."""

    stored: Rows
    codes: Mapping[int, np.ndarray]

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, F)."""
        return self.stored.shape

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows."""
        values = self.stored.read(rows)
        for place, codes in self.codes.items():
            values[:, place] = codes[values[:, place].astype(np.int64)]
        return values
