"""Reading feature maps piece by piece: what is asked of a piece is asked while it is in cache."""

from dataclasses import dataclass
from math import gcd

import torch
from torch import Tensor

__all__ = ["TILE", "Reading", "is_tiled", "read"]

TILE = 2**19
"""Bytes of a piece: a quarter of the second level's cache where this was measured."""

_TOGETHER = 2**21
"""Bytes of small maps that are read together."""

_ABREAST = 32
"""Numbers that a processor compares at once. Measured in channels-last format: least and largest values of each neuron
take little longer than those of all of them if so many, or a multiple, stand side by side, else up to fifty times."""


@dataclass(frozen=True)
class Reading:
    """What was read of feature maps (N, C, H, W), each (N, C); None for what was not asked for."""

    means: Tensor | None
    low: Tensor | None
    high: Tensor | None


def is_tiled(output: Tensor) -> bool:
    """Say whether the means of such a map are those of its pieces: its inputs are large, and so is each of them.

    It depends on the shape of one input alone, for an input's mean must not depend on how many others there are.
    """
    # Half precision is left to torch, which adds it up in single precision; sums of pieces would run over.
    precise = output.dtype in {torch.float32, torch.float64}
    return precise and _is_channels_last(output) and output[0].numel() * output.element_size() > TILE


def read(output: Tensor, means: bool, bounds: bool) -> Reading | None:
    """Return each neuron's mean, or its least and largest value, or all three.

    Parameters
    ----------
    output : Tensor of shape (N, C, H, W)
    means, bounds : bool
        What is asked for.

    Returns
    -------
    Reading or None
        None where it would be slow: in another memory format, or of few pixels of odd numbers of channels.
    """
    if not _is_channels_last(output):
        return None
    pixels = output.flatten(2).transpose(1, 2)
    # So many pixels side by side that their numbers are a multiple of 32: two of sixteen channels, four of 24.
    group = _ABREAST // gcd(_ABREAST, output.shape[1])
    whole = pixels.shape[1] // group * group
    if whole == 0:
        return None
    size = pixels[0].numel() * output.element_size()
    if size > TILE:
        rows = max(1, TILE // (output.element_size() * group * output.shape[1]))
        parts = [_read(one, group, rows, means, bounds) for one in pixels.split(1)]
    else:
        # Small maps are read together: every call takes as long as some tens of thousands of numbers.
        parts = [_read(some, group, pixels.shape[1], means, bounds) for some in pixels.split(max(1, _TOGETHER // size))]
    if len(parts) == 1:
        return parts[0]
    return Reading(*(_joined([getattr(one, side) for one in parts]) for side in ("means", "low", "high")))


def _read(pixels: Tensor, group: int, rows: int, means: bool, bounds: bool) -> Reading:
    """Read some inputs' pixels, (n, P, C), so many groups of them at a time."""
    whole = pixels.shape[1] // group * group
    abreast = pixels if group == 1 else pixels[:, :whole].unflatten(1, (-1, group)).flatten(2)
    rest = pixels[:, whole:]
    totals, lows, highs = [], [], []
    for piece in abreast.split(rows, dim=1):
        if means:
            totals.append(piece.sum(dim=1))
        if bounds:
            lows.append(piece.amin(dim=1))
            highs.append(piece.amax(dim=1))
    return Reading(
        _apart(totals, group, rest).sum(dim=1) / pixels.shape[1] if means else None,
        _apart(lows, group, rest).amin(dim=1) if bounds else None,
        _apart(highs, group, rest).amax(dim=1) if bounds else None,
    )


def _apart(sides: list[Tensor], group: int, rest: Tensor) -> Tensor:
    """Return what was read of pieces, each (n, group * C), as pixels (n, P, C), with those that no piece held."""
    if group == len(sides) == 1:
        return sides[0].unsqueeze(1)
    pixels = torch.stack(sides, dim=1).unflatten(2, (group, -1)).flatten(1, 2)
    return pixels if rest.shape[1] == 0 else torch.cat([pixels, rest], dim=1)


def _joined(sides: list[Tensor | None]) -> Tensor | None:
    known = [side for side in sides if side is not None]
    return torch.cat(known) if known else None


def _is_channels_last(output: Tensor) -> bool:
    return output.ndim == 4 and output.is_contiguous(memory_format=torch.channels_last)
