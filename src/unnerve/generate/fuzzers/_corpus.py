"""A corpus that grows: rows of several tensors in a pool's state, with room to spare so that few copies are made."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.pools import PoolState

__all__ = ["Corpus"]

_COUNT = "corpus"


@dataclass(frozen=True)
class Corpus:
    """Equally many rows of some tensors of a state; the state is all there is, so a corpus is stored with it.

    Parameters
    ----------
    state : PoolState
    names : tuple of str
        Of the tensors.
    """

    state: PoolState
    names: tuple[str, ...]

    @classmethod
    def begun(cls, **columns: Tensor) -> "Corpus":
        """Return a corpus with first rows, in a state of its own."""
        count = len(next(iter(columns.values())))
        return cls(PoolState({name: rows.clone() for name, rows in columns.items()}, {_COUNT: count}), tuple(columns))

    def __len__(self) -> int:
        return int(self.state.values[_COUNT])

    def __getitem__(self, name: str) -> Tensor:
        """Return the rows of one of the tensors, a view."""
        return self.state.tensors[name][: len(self)]

    def append(self, **columns: Tensor) -> None:
        """Add rows, equally many to each tensor."""
        start = len(self)
        stop = start + len(next(iter(columns.values())))
        for name in self.names:
            held = self.state.tensors[name]
            if stop > len(held):
                # Twice the room: a corpus of N rows was copied N times at most, not N squared.
                larger = torch.zeros((2 * stop, *held.shape[1:]), dtype=held.dtype)
                larger[:start] = held[:start]
                self.state.tensors[name] = held = larger
            held[start:stop] = columns[name]
        self.state.values[_COUNT] = stop
