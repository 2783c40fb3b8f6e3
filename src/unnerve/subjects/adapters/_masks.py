"""Dropout masks by hashing: whether a unit is dropped depends on its input, draw, site and place alone.

A counter-based generator in the sense of Salmon et al. (SC 2011): a unit's number is hashed with the key of its
input, so that no unit waits for another, and the batch does not matter. Integer operations, three multiplications for
each unit: a fourth of the time of ``F.dropout`` here.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import prod, sqrt

import numpy as np
import torch
from torch import Tensor

from unnerve.core.masks import Masks

__all__ = ["Drop", "Keys", "Layout", "thinned"]

_GOLDEN, _FIRST, _SECOND = -1640531527, 569420461, 1935289751
"""2**32 over the golden ratio, and two multipliers that were searched for low bias (Wellons, 2018)."""

_CHUNK = 2**17
"""Units hashed at a time, so that the steps of the hash stay in cache."""

_SELU = -1.7580993408473766
"""What alpha dropout puts in place of a unit: the lower limit of SELU (Klambauer et al., 2017)."""


@dataclass(frozen=True)
class Drop:
    """What a call of dropout asks for: its rate, whole channels or units, SELU's variant, in place or not."""

    rate: float
    channels: bool = False
    alpha: bool = False
    inplace: bool = False


@dataclass(frozen=True)
class Layout:
    """Where a tensor keeps its inputs: along which axis (None: nowhere), and whether an input's parts lie together."""

    axis: int | None
    together: bool = True


class Keys:
    """The hash keys of N inputs for every site and draw.

    Parameters
    ----------
    masks : Masks
    rows : int
        Rows of the batch; the last input's keys serve for those beyond N.
    device : torch.device
    """

    def __init__(self, masks: Masks, rows: int, device: torch.device) -> None:
        own = masks.row_keys()
        common = np.array([masks.common_key()], dtype=np.uint64)
        self._inputs = np.concatenate([own, own[-1:].repeat(rows - len(own)), common])
        self._draws = np.arange(masks.start, masks.start + masks.draws, dtype=np.uint64)
        self._device = device
        self._known: dict[int, Tensor] = {}

    def of(self, site: int, draw: int) -> Tensor:
        """Return two words for each row and two for what belongs to no row, int32 of shape (2, rows + 1)."""
        if site not in self._known:
            places = _mixed((self._draws << np.uint64(32)) + np.uint64(site))
            words = _mixed(places[:, None] ^ self._inputs).view(np.int32).reshape(len(places), -1, 2)
            self._known[site] = torch.from_numpy(np.ascontiguousarray(words.transpose(0, 2, 1))).to(self._device)
        return self._known[site][draw]


def thinned(x: Tensor, drop: Drop, keys: Tensor, layout: Layout) -> Tensor:
    """Return ``x`` with units dropped and the others scaled up, as ``F.dropout`` does.

    Parameters
    ----------
    x : Tensor
    drop : Drop
    keys : Tensor of shape (2, rows + 1), int32
        See :meth:`Keys.of`.
    layout : Layout
    """
    out = x if drop.inplace else torch.empty_like(x)
    if drop.rate >= 1:
        return out.zero_()
    rows = keys.shape[1] - 1
    if drop.channels and layout.axis not in (0, 1):
        layout = Layout(None)
    first, second = (_spread(word, layout, x.shape, rows) for word in keys)
    units = _units(tuple(x.shape), layout, rows, drop.channels, _is_channels_last(x), x.device)
    step = max(1, _CHUNK * len(x) // max(1, x.numel()))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        kept = _kept(_part(units, part), _part(first, part), _part(second, part), drop.rate)
        _apply(x[part], kept, drop, out[part])
    return out


def _part(tensor: Tensor, part: slice) -> Tensor:
    return tensor if tensor.shape[0] == 1 else tensor[part]


def _kept(units: Tensor, first: Tensor, second: Tensor, rate: float) -> Tensor:
    hashed = units + first
    hashed.bitwise_xor_(hashed >> 16).mul_(_FIRST).add_(second)
    hashed.bitwise_xor_(hashed >> 15).mul_(_SECOND)
    return hashed >= min(round(rate * 2**32), 2**32 - 1) - 2**31


def _apply(x: Tensor, kept: Tensor, drop: Drop, out: Tensor) -> None:
    if not drop.alpha:
        torch.mul(x, kept, out=out).mul_(1 / (1 - drop.rate))
        return
    stretch = 1 / sqrt((1 - drop.rate) * (1 + drop.rate * _SELU**2))
    shift = -stretch * drop.rate * _SELU
    out.copy_(torch.where(kept, x * stretch + shift, stretch * _SELU + shift))


def _spread(words: Tensor, layout: Layout, shape: torch.Size, rows: int) -> Tensor:
    """Return the rows' words so that they broadcast over a tensor of this shape."""
    if layout.axis is None:
        return words[-1:].view([1] * len(shape))
    own, parts = words[:-1], shape[layout.axis] // rows
    if parts > 1:
        own = own.repeat_interleave(parts) if layout.together else own.repeat(parts)
    return own.view([-1 if axis == layout.axis else 1 for axis in range(len(shape))])


@lru_cache(maxsize=64)
def _units(
    shape: tuple[int, ...], layout: Layout, rows: int, channels: bool, channels_last: bool, device: torch.device
) -> Tensor:
    """Return the number of every unit within its input, stretched over the integers; broadcasts over the tensor."""
    sides = [side if axis < 2 or not channels else 1 for axis, side in enumerate(shape)]
    parts = 1
    if layout.axis is not None:
        parts = sides[layout.axis] // rows
        sides[layout.axis] = parts
    units = torch.arange(prod(sides), dtype=torch.int32, device=device).mul_(_GOLDEN).view(sides)
    if parts > 1 and layout.axis is not None:
        along = torch.arange(rows * parts, device=device)
        units = units.index_select(layout.axis, along % parts if layout.together else along // rows)
    return units.contiguous(memory_format=torch.channels_last) if channels_last else units


def _is_channels_last(x: Tensor) -> bool:
    return x.ndim == 4 and not x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)


def _mixed(words: np.ndarray) -> np.ndarray:
    """Return 64-bit words, well mixed (the finaliser of SplitMix; Steele et al., 2014)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = words ^ (words >> np.uint64(31))
    return mixed
