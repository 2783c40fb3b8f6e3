"""What inputs have met so far of what a criterion asks of every neuron: one bit for each obligation."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile, finite_neurons
from unnerve.core.storage.limits import check_unpacked

__all__ = ["Obligations", "Obliging", "check_alike", "required"]

_SPARSE = 64
"""With more obligations per neuron than this many times the inputs, single bits are set."""

_BYTES = 2**22
"""Obligations that are held as whole bytes at a time."""

_NEWS = 2**20
"""Values whose obligations are listed at a time."""

# How many bits each byte has; numpy counts them itself only from version 2 on, and 1.26 is supported.
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


class Obliging(Protocol):
    """A criterion that asks the same number of things of every neuron."""

    @property
    def each(self) -> int:
        """K, the obligations of a neuron."""
        ...

    def mark(self, state: "Obligations", seen: Observation) -> None:
        """Mark in ``state`` what N >= 1 inputs met."""
        ...

    def met(self, state: "Obligations", seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return what each input met: (rows, obligations), int64 (M,) each; K obligations for every neuron in turn."""
        ...


class Obligations:
    """Which of the K obligations of each of U neurons some input has met.

    Takes U * K bits: 118 MB for ResNet-50's 94,059 neurons and K = 10,000.

    Parameters
    ----------
    criterion : Obliging
    neurons : NeuronMap
    profile : Profile, optional
        Where the criterion needs one.
    """

    def __init__(self, criterion: Obliging, neurons: NeuronMap, profile: Profile | None = None) -> None:
        self.criterion = criterion
        self.neurons = neurons
        self.profile = profile
        check_unpacked(len(neurons) * criterion.each // 8, f"{criterion} of {len(neurons):,} neurons")
        self.bits = np.zeros((len(neurons), (criterion.each + 7) // 8), dtype=np.uint8)

    def update(self, seen: Observation) -> None:
        """Take in what one pass over N inputs showed."""
        if len(finite_neurons(seen, self.neurons)):
            self.criterion.mark(self, seen)

    def __or__(self, other: "Obligations") -> "Obligations":
        """Return what the inputs of either have met."""
        check_alike(self, other)
        both = Obligations(self.criterion, self.neurons, self.profile)
        np.bitwise_or(self.bits, other.bits, out=both.bits)
        return both

    def news(self, seen: Observation) -> Tensor:
        """Return how many obligations each input is the first to meet, int64 (N,); nothing is marked."""
        values = finite_neurons(seen, self.neurons)
        found = np.zeros(len(values), dtype=np.int64)
        # Some inputs at a time: what they meet is a few numbers for each of them and each neuron.
        step, fresh = max(1, _NEWS // max(1, len(self.neurons))), np.empty(0, dtype=np.int64)
        for first in range(0, len(values), step):
            part = _part(seen, slice(first, first + step))
            rows, places = self.criterion.met(self, part)
            each = self.criterion.each
            # The lowest bit first, as everywhere here: packbits is called with bitorder="little".
            marked = self.bits[places // each, places % each >> 3] >> (places % each & 7).astype(np.uint8) & 1
            # Nothing is marked on the way, so what earlier inputs of the same pass met is kept beside.
            new = (marked == 0) & ~np.isin(places, fresh)
            # Sorted by input, because np.unique tells the first place of each obligation: that is then the earliest
            # input.
            order = np.argsort(rows[new], kind="stable")
            once, earliest = np.unique(places[new][order], return_index=True)
            found[first : first + step] += np.bincount(rows[new][order][earliest], minlength=len(part.logits))
            fresh = np.union1d(fresh, once)
        return torch.from_numpy(found)

    def tensors(self) -> dict[str, Tensor]:
        """Return the obligations that are met, one bit each."""
        return {"bits": torch.from_numpy(self.bits.copy())}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Take the place of a stored state."""
        bits = tensors["bits"].numpy()
        if bits.shape != self.bits.shape or bits.dtype != self.bits.dtype:
            raise InvalidData(f"coverage of {self.bits.shape} bytes cannot be {bits.shape} of {bits.dtype}")
        self.bits[...] = bits

    def meet(self, met: Tensor) -> None:
        """Mark obligations that at least one input met: bool (U, K)."""
        self.bits |= np.packbits(met.numpy(), axis=1, bitorder="little")

    def meet_one_each(self, neurons: slice, places: np.ndarray, valid: np.ndarray) -> None:
        """Mark one obligation of each of these neurons for every input.

        Parameters
        ----------
        neurons : slice
            Which M of the U neurons.
        places : ndarray of shape (N, M), int64
            In [0, K).
        valid : ndarray of shape (N, M), bool
            Where there is one.
        """
        bits, each = self.bits[neurons], self.criterion.each
        if each > _SPARSE * len(places):
            rows, met = np.broadcast_to(np.arange(len(bits)), places.shape)[valid], places[valid]
            np.bitwise_or.at(bits, (rows, met >> 3), np.left_shift(1, met & 7).astype(np.uint8))
            return
        # Measured: while most is unmet, whole bytes that are packed afterwards take a third of the time of single bits.
        step = max(1, _BYTES // each)
        for first in range(0, len(bits), step):
            some = slice(first, first + step)
            count = len(bits[some])
            # One byte more, at place -1: values without an obligation are written there, which is cheaper than leaving
            # them out.
            bytes_ = np.zeros(count * each + 1, dtype=bool)
            bytes_[np.where(valid[:, some], places[:, some] + np.arange(count) * each, -1)] = True
            bits[some] |= np.packbits(bytes_[:-1].reshape(count, each), axis=1, bitorder="little")

    @property
    def bounds(self) -> tuple[Tensor, Tensor]:
        """Low and high of every neuron on training data, shape (U,) each."""
        assert self.profile is not None, "required() comes before"
        return self.profile.low, self.profile.high

    @property
    def covered(self) -> int:
        """How many obligations are met."""
        return int(self._counts().sum())

    @property
    def total(self) -> int:
        """How many there are."""
        return self.criterion.each * len(self.neurons)

    @property
    def value(self) -> float:
        """The share that is met, in [0, 1]."""
        return self.covered / self.total

    def shares(self) -> dict[str, float]:
        """Return the share that is met in each layer."""
        counts, each = self._counts(), self.criterion.each
        layers = self.neurons.layers
        return {layer.name: int(counts[layer.columns].sum()) / (each * layer.count) for layer in layers}

    def _counts(self) -> np.ndarray:
        counts: np.ndarray = _ONES[self.bits].sum(axis=1, dtype=np.int64)
        return counts


def _part(seen: Observation, rows: slice) -> Observation:
    """Return what some inputs of a pass showed."""
    more = (None if one is None else one[rows] for one in (seen.activity, seen.extent))
    return Observation(seen.logits[rows], *more)


class _Started(Protocol):
    @property
    def criterion(self) -> object: ...
    @property
    def neurons(self) -> NeuronMap: ...
    @property
    def profile(self) -> Profile | None: ...


def check_alike(one: _Started, other: _Started) -> None:
    """Raise unless two states were begun alike."""
    origins = [(state.criterion, state.neurons, state.profile) for state in (one, other)]
    if origins[0] != origins[1]:
        raise InvalidSetting(f"coverage begun otherwise cannot be joined: {one.criterion} and {other.criterion}")


def required(profile: Profile | None, neurons: NeuronMap, who: str) -> Profile:
    """Return the profile that a criterion needs, of these neurons."""
    if profile is None:
        raise InvalidSetting(f"{who} needs the ranges of the neurons on training data: give a profile (--profile DATA)")
    # With its own model: which one is tested is not known here, and whoever brought the profile has made or checked it.
    profile.check(profile.model, neurons)
    return profile
