"""Random numbers that belong to an input, not to a batch (counter-based, after Salmon et al., SC 2011).

Every input has a stream of its own, keyed by the run's seed and the input's id. What an input draws does not
depend on which other inputs share its batch, on the order of the batches, or on the worker that runs them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from math import prod

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting

__all__ = ["Streams"]


class Streams:
    """One random stream for each input.

    Parameters
    ----------
    seed : int
        The run's seed, in ``[0, 2**64)``.
    ids : iterable of str
        Ids of the N inputs; equal ids have equal streams.
    turn : int
        Which time the same work is done: another turn draws other numbers.
    """

    def __init__(self, seed: int, ids: Iterable[str], turn: int = 0) -> None:
        if not 0 <= seed < 2**64:
            raise InvalidSetting(f"seed must be in [0, 2**64), got {seed}")
        self.seed = seed
        self.turn = turn
        # Of the id, not of the row number: an input keeps its numbers when the data set is filtered or sorted.
        self._keys = [_hash64(name) for name in ids]
        self._drawn: set[int] = set()

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, rows: Iterable[int]) -> "Streams":
        """Return the streams of some of the inputs, unchanged by the choice."""
        chosen = Streams(self.seed, (), self.turn)
        chosen._keys = [self._keys[row] for row in rows]
        chosen._drawn = self._drawn
        return chosen

    @property
    def drawn(self) -> list[bool]:
        """Which of the inputs have drawn anything yet, from here or from a choice of them."""
        return [key in self._drawn for key in self._keys]

    def uniform(self, step: int, draw: int, shape: tuple[int, ...]) -> Tensor:
        """Draw uniform numbers in ``[0, 1)``.

        Parameters
        ----------
        step, draw : int
            Together they name the draw: the same pair gives the same numbers, another pair independent ones.
        shape : tuple of int
            What each input receives.

        Returns
        -------
        Tensor of shape (N, *shape), float32
        """
        return self._fill(step, draw, shape, lambda generator, row: generator.random(dtype=np.float32, out=row))

    def coarse(self, step: int, draw: int, shape: tuple[int, ...]) -> Tensor:
        """Draw uniform multiples of 2**-16 in ``[0, 1)``, three times as fast; otherwise as :meth:`uniform`."""
        count = prod(shape)
        out = np.empty((len(self), count), dtype=np.float32)
        for generator, row in zip(self._generators(step, draw), out, strict=True):
            # Four 16-bit numbers from each 64-bit word: drawing is a tenth of a swarm's time, and a swarm needs no more
            # digits.
            words = generator.bit_generator.random_raw(-(-count // 4))
            np.multiply(words.view(np.uint16)[:count], np.float32(2**-16), out=row)
        return torch.from_numpy(out.reshape(len(self), *shape))

    def normal(self, step: int, draw: int, shape: tuple[int, ...]) -> Tensor:
        """Draw standard normal numbers; parameters and shape as in :meth:`uniform`."""
        return self._fill(
            step, draw, shape, lambda generator, row: generator.standard_normal(dtype=np.float32, out=row)
        )

    def permutations(self, step: int, draw: int, count: int) -> Tensor:
        """Draw one permutation of ``range(count)`` for each input, as int64 of shape (N, count)."""
        rows = [torch.from_numpy(generator.permutation(count)) for generator in self._generators(step, draw)]
        return torch.stack(rows) if rows else torch.empty((0, count), dtype=torch.int64)

    def _fill(
        self, step: int, draw: int, shape: tuple[int, ...], fill: Callable[[np.random.Generator, np.ndarray], object]
    ) -> Tensor:
        out = np.empty((len(self), *shape), dtype=np.float32)
        flat = out.reshape(len(self), prod(shape))  # rows of it are arrays, even if a row is one number
        for generator, row in zip(self._generators(step, draw), flat, strict=True):
            fill(generator, row)
        return torch.from_numpy(out)

    def _generators(self, step: int, draw: int) -> Iterator[np.random.Generator]:
        # The lowest counter word is left to the generator: 2**64 blocks before two draws could overlap.
        # Words of 64 bits must arrive as such: numpy makes floats of a list that mixes small and large ones.
        counter = np.array([0, draw, step, self.turn], dtype=np.uint64)
        self._drawn.update(self._keys)
        for key in self._keys:
            words = np.array([self.seed, key], dtype=np.uint64)
            yield np.random.Generator(np.random.Philox(key=words, counter=counter))


def _hash64(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
