"""Dropout masks as values: which units T draws switch off, for each input, whatever batch it is in."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from unnerve.core.errors import InvalidSetting

__all__ = ["Masks"]


@dataclass(frozen=True)
class Masks:
    """T dropout masks for each of N inputs.

    A mask is decided by the run's seed, the input's id and the number of the draw, and by the place in the network and
    the rate that the model adds. A unit that is dropped at one rate is dropped at every higher one.

    Parameters
    ----------
    seed : int
        The run's seed, in ``[0, 2**64)``; another seed gives independent masks.
    ids : tuple of N str
        Whose masks: inputs with equal ids share theirs, as the candidates of a seed should when they are compared.
    draws : int
        T.
    start : int
        Number of the first draw; draws 50 to 99 continue draws 0 to 49.
    """

    seed: int
    ids: tuple[str, ...]
    draws: int = 50
    start: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**64:
            raise InvalidSetting(f"seed must be in [0, 2**64), got {self.seed}")
        if self.draws < 1:
            raise InvalidSetting(f"draws must be >= 1, got {self.draws}")
        if not 0 <= self.start < 2**31:
            raise InvalidSetting(f"start must be in [0, 2**31), got {self.start}")

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice | Iterable[int]) -> "Masks":
        """Return the masks of some of the inputs, unchanged by the choice; a row may be chosen several times."""
        chosen = self.ids[rows] if isinstance(rows, slice) else tuple(self.ids[row] for row in rows)
        return replace(self, ids=chosen)

    def row_keys(self) -> np.ndarray:
        """Return one number for each input, uint64 of shape (N,)."""
        # A swarm asks for a seed's masks once per particle; hashing each id once keeps that out of the profile.
        known = {name: self._key(name) for name in dict.fromkeys(self.ids)}
        return np.array([known[name] for name in self.ids], dtype=np.uint64)

    def common_key(self) -> int:
        """Return the number that all inputs share, for units that belong to none of them."""
        return self._key("", b"common")

    def _key(self, name: str, purpose: bytes = b"") -> int:
        key = self.seed.to_bytes(8, "little")
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, key=key, person=purpose).digest(), "little")
