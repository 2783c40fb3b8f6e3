"""Rows of clips: cut or padded to one length, as waveforms or as log-mel features."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from unnerve.subjects.datasets._images.parallel import in_threads
from unnerve.subjects.sounds.mel import LogMel

__all__ = ["ClipRows"]


@dataclass(frozen=True)
class ClipRows:
    """Clips as rows.

    Parameters
    ----------
    count : int
    length : int
        Samples of every row: longer clips lose their end, shorter ones are followed by zeros.
    rate : int
        Samples per second.
    clip : callable (number) -> float32 array (L,)
        Reads one clip, of any length, in [-1, 1].
    bands : int or None
        Of log-mel features; waveforms if None.
    """

    count: int
    length: int
    rate: int
    clip: Callable[[int], np.ndarray]
    bands: int | None = None

    @cached_property
    def _front(self) -> LogMel:
        return LogMel(self.rate, self.bands or 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, L), or (N, 1, bands, frames)."""
        if self.bands is None:
            return (self.count, self.length)
        return (self.count, 1, self.bands, 1 + self.length // self._front.power.hop)

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Read these clips, in [-1, 1]."""
        out = np.zeros((len(rows), self.length), dtype=np.float32)

        def fill(place: int) -> None:
            values = self.clip(rows[place])[: self.length]
            out[place, : len(values)] = values

        for _ in in_threads(fill, range(len(rows))):
            pass
        if self.bands is None:
            return out
        with torch.no_grad():
            features: np.ndarray = self._front(torch.from_numpy(out)).numpy()
        return features
