"""The patterns that inputs have shown so far, by 128-bit hashes."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile, finite_neurons
from unnerve.measure.coverages._extremes import extremes
from unnerve.measure.coverages._obligations import check_alike

__all__ = ["Patterned", "Patterns"]

# Fixed for ever: hashes are stored in the checkpoints of pools, from which other processes go on.
_KEY = 20180903
_NONE = torch.empty((0, 16), dtype=torch.uint8)


class Patterned(Protocol):
    """A criterion that tells patterns of active neurons apart."""

    @property
    def top(self) -> int:
        """How many neurons of each layer belong to a pattern."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether their order does."""
        ...


class Patterns:
    """Which patterns some input has shown; 16 bytes each.

    Parameters
    ----------
    criterion : Patterned
    neurons : NeuronMap
    """

    profile: Profile | None = None
    total: int | None = None

    def __init__(self, criterion: Patterned, neurons: NeuronMap) -> None:
        self.criterion = criterion
        self.neurons = neurons
        self.seen: set[bytes] = set()

    def update(self, seen: Observation) -> None:
        """Take in what one pass over N inputs showed."""
        values = finite_neurons(seen, self.neurons)
        if len(values):
            active = extremes(self.neurons, values, self.criterion.top)
            self.seen.update(self._hashes(active).numpy().view("V16").ravel().tolist())

    def news(self, seen: Observation) -> Tensor:
        """Return for each input whether it is the first to show its pattern, int64 (N,)."""
        values = finite_neurons(seen, self.neurons)
        if not len(values):
            return torch.zeros(0, dtype=torch.int64)
        hashes = self._hashes(extremes(self.neurons, values, self.criterion.top)).numpy().view("V16").ravel().tolist()
        first = {name: row for row, name in reversed(list(enumerate(hashes)))}
        return torch.tensor([int(first[name] == row and name not in self.seen) for row, name in enumerate(hashes)])

    def tensors(self) -> dict[str, Tensor]:
        """Return the patterns' hashes, uint8 (K, 16), sorted."""
        joined = bytearray(b"".join(sorted(self.seen)))
        return {"seen": torch.frombuffer(joined, dtype=torch.uint8).view(-1, 16) if joined else _NONE.clone()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Take the place of a stored state."""
        self.seen = {row.tobytes() for row in tensors["seen"].numpy()}

    def __or__(self, other: "Patterns") -> "Patterns":
        """Return the patterns of the inputs of either."""
        check_alike(self, other)
        both = Patterns(self.criterion, self.neurons)
        both.seen = self.seen | other.seen
        return both

    @property
    def covered(self) -> int:
        """How many patterns were shown."""
        return len(self.seen)

    @property
    def value(self) -> float:
        """How many patterns were shown: nobody knows how many there are."""
        return float(len(self.seen))

    def shares(self) -> dict[str, float]:
        """Return nothing: a pattern goes across all layers."""
        return {}

    def _hashes(self, active: Tensor) -> Tensor:
        """Return two 64-bit sums of fixed random numbers, one per neuron (Zobrist, 1970): int64 (N, 2)."""
        drawn = np.random.Philox(key=_KEY).random_raw(2 * len(self.neurons)).astype(np.int64).reshape(-1, 2)
        numbers = torch.from_numpy(drawn)[active]
        if self.criterion.ordered:
            numbers *= torch.arange(1, 2 * active.shape[1], 2).unsqueeze(1)  # odd: no number loses its lowest bits
        return numbers.sum(dim=1)
