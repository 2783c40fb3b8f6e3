"""Dropout masks by hashing: whether a unit is dropped depends on its input, draw, dropout call and place alone.

A counter-based generator in the sense of Salmon et al. (SC 2011): a unit's number is hashed with the key of its
input, so that no unit waits for another, and the batch does not matter. Integer operations, three multiplications for
each unit: a sixth of the time of ``F.dropout`` here.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod

import numpy as np
import torch
from torch import Tensor

from unnerve.core.masks import Masks
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis

__all__ = ["Drop", "Keys", "factors"]

_GOLDEN, _FIRST, _SECOND = -1640531527, 569420461, 1935289751
"""2**32 over the golden ratio, and two multipliers that were searched for low bias (Wellons, 2018)."""

_ALL = slice(None)


@dataclass(frozen=True)
class Drop:
    """What a call of dropout asks for: its rate, whole channels or units, SELU's variant, in place or not."""

    rate: float
    channels: bool = False
    alpha: bool = False
    inplace: bool = False


class Keys:
    """The hash keys of N inputs for every dropout call and draw.

    Parameters
    ----------
    masks : Masks
    rows : int
        Rows of the batch; the last input's keys serve for those beyond N.
    device : torch.device

    Attributes
    ----------
    runs : tuple of slice
        Neighbouring rows whose inputs have the same id, and so the same keys.
    """

    def __init__(self, masks: Masks, rows: int, device: torch.device) -> None:
        own = masks.row_keys()
        common = np.array([masks.common_key()], dtype=np.uint64)
        self._inputs = np.concatenate([own, own[-1:].repeat(rows - len(own)), common])
        self._draws = np.arange(masks.start, masks.start + masks.draws, dtype=np.uint64)
        self._device = device
        self._known: dict[int, Tensor] = {}
        starts = [0, *(np.flatnonzero(np.diff(self._inputs[:-1])) + 1).tolist(), rows]
        self.runs = tuple(slice(*pair) for pair in pairwise(starts))

    def of_runs(self, call: int, draws: slice) -> Tensor:
        """Return the same as :meth:`of` for the first row of each run instead of each row: int32 (2, D, runs + 1)."""
        return self.of(call, draws)[:, :, [*(run.start for run in self.runs), -1]]

    def of(self, call: int, draws: slice) -> Tensor:
        """Return two words for each of D draws and each row, and for what belongs to no row: int32 (2, D, rows + 1)."""
        if call not in self._known:
            streams = _mixed((self._draws << np.uint64(32)) + np.uint64(call))
            words = _mixed(streams[:, None] ^ self._inputs).view(np.int32).reshape(len(streams), -1, 2)
            self._known[call] = torch.from_numpy(np.ascontiguousarray(words.transpose(2, 0, 1))).to(self._device)
        return self._known[call][:, draws]


def factors(x: Tensor, drop: Drop, keys: Tensor, batch: BatchAxis, part: slice = _ALL) -> Tensor:
    """Return what to multiply the units of a tensor by in some draws.

    Parameters
    ----------
    x : Tensor
        Its shape and memory format count, its values do not.
    drop : Drop
    keys : Tensor of shape (2, D, rows + 1), int32
        See :meth:`Keys.of`.
    batch : BatchAxis
    part : slice
        The part of the tensor's first axis that is asked for.

    Returns
    -------
    Tensor of shape (D, ...), float32
        Zero where a unit is dropped, ``1 / (1 - rate)`` where it is kept; broadcasts over that part.
    """
    rows = keys.shape[2] - 1
    if drop.channels and batch.index not in (0, 1):
        batch = BatchAxis(None)
    units = _units(tuple(x.shape), batch, rows, drop.channels, _is_channels_last(x), x.device)
    first, second = (_spread(words, batch, x.shape, rows) for words in keys)
    hashed = _part(units, part) + _part(first, part)
    hashed.bitwise_xor_(hashed >> 16)
    torch.add(_part(second, part), hashed, alpha=_FIRST, out=hashed)
    hashed.bitwise_xor_(hashed >> 15).mul_(_SECOND).bitwise_right_shift_(1)
    # Comparing, converting and scaling take longer than this: the sign of a difference, spread over all bits, lets the
    # bits of the scale through.
    scale = int(np.float32(1 / (1 - drop.rate)).view(np.int32))
    below = torch.rsub(hashed, round(drop.rate * 2**31) - 2**30 - 1)
    return below.bitwise_right_shift_(31).bitwise_and_(scale).view(torch.float32)


def _part(tensor: Tensor, part: slice) -> Tensor:
    return tensor if tensor.shape[1] == 1 or part == _ALL else tensor[:, part]


def _spread(words: Tensor, batch: BatchAxis, shape: torch.Size, rows: int) -> Tensor:
    """Return words of rows, shape (D, rows + 1), so that they broadcast over a tensor of this shape: (D, ...)."""
    if batch.index is None:
        return words[:, -1:].view(-1, *[1] * len(shape))
    own, parts = words[:, :-1], shape[batch.index] // rows
    if parts > 1:
        own = own.repeat_interleave(parts, dim=1) if batch.together else own.repeat(1, parts)
    return own.reshape(len(words), *(shape[axis] if axis == batch.index else 1 for axis in range(len(shape))))


@lru_cache(maxsize=64)
def _units(
    shape: tuple[int, ...], batch: BatchAxis, rows: int, channels: bool, channels_last: bool, device: torch.device
) -> Tensor:
    """Return the number of every unit within its input, stretched over the integers: (1, ...)."""
    sides = [side if axis < 2 or not channels else 1 for axis, side in enumerate(shape)]
    parts = 1
    if batch.index is not None:
        parts = sides[batch.index] // rows
        sides[batch.index] = parts
    units = torch.arange(prod(sides), dtype=torch.int32, device=device).mul_(_GOLDEN).view(sides)
    if parts > 1 and batch.index is not None:
        along = torch.arange(rows * parts, device=device)
        units = units.index_select(batch.index, along % parts if batch.together else along // rows)
    return (units.contiguous(memory_format=torch.channels_last) if channels_last else units).unsqueeze(0)


def _is_channels_last(x: Tensor) -> bool:
    return x.ndim == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)


def _mixed(words: np.ndarray) -> np.ndarray:
    """Return 64-bit words, well mixed (the finaliser of SplitMix; Steele et al., 2014)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = words ^ (words >> np.uint64(31))
    return mixed
