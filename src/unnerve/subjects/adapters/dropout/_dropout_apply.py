"""Dropping units of tensors, draw after draw, as ``F.dropout`` does."""

from collections.abc import Callable
from math import sqrt

import torch
from torch import Tensor

from unnerve.core.masks import Masks
from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._masks import Drop, Keys, factors

__all__ = ["ApplyDropout", "MaskedDropout"]

ApplyDropout = Callable[[Tensor, Drop], Tensor]
"""Drops units of a tensor."""

_CHUNK = 2**18
"""Units hashed at a time: many enough to be worth the calls, few enough not to need much memory."""

_SHARED = 8
"""Rows for each run of equal masks, as candidates of one seed have them, from which one mask is made for the run."""

_SELU = -1.7580993408473766
"""What alpha dropout puts in place of a unit: the lower limit of SELU (Klambauer et al., 2017)."""


class MaskedDropout:
    """Drops units of the tensors of one batch.

    Parameters
    ----------
    masks : Masks
    rows : int
        Rows of the batch; the masks of the last input serve for those beyond.
    device : torch.device
    """

    def __init__(self, masks: Masks, rows: int, device: torch.device) -> None:
        self._keys, self._rows = Keys(masks, rows, device), rows
        self._ahead: dict[int, tuple[range, torch.Size, Drop, Tensor]] = {}

    def __call__(self, x: Tensor, drop: Drop, batch: BatchAxis, call: int, draw: int, together: int = 1) -> Tensor:
        """Return ``x`` with units dropped and the others scaled up, at this call of dropout and in this draw.

        If several draws are made ``together``, ``x`` has the rows of one after those of the other.
        """
        if x.requires_grad and x.numel() and drop.rate < 1:
            return _differentiable(x, factors(x, drop, self._keys.of(call, slice(draw, draw + 1)), batch)[0], drop)
        out = x if drop.inplace else torch.empty_like(x)
        # A rate of one has no factor for what is kept: one over zero.
        if drop.rate >= 1 or x.numel() == 0:
            return out.zero_()
        if together > 1:
            keys = self._keys.of(call, slice(draw, draw + together))
            self._drop_together(x.unflatten(0, (together, -1)), drop, keys, out)
            return out
        runs = self._keys.runs
        if batch.index == 0 and len(x) == self._rows >= _SHARED * len(runs):
            known = self._factors(x[: len(runs)], drop, batch, call, draw, self._keys.of_runs)
            for number, run in enumerate(runs):
                _apply(x[run], known[number], drop, out[run])
            return out
        # Two draws or more fit into a chunk: then the tensor is hashed for as many as fit, and the next draws find
        # theirs.
        if 2 * x.numel() <= _CHUNK:
            _apply(x, self._factors(x, drop, batch, call, draw, self._keys.of), drop, out)
            return out
        keys, step = self._keys.of(call, slice(draw, draw + 1)), max(1, _CHUNK * len(x) // x.numel())
        for start in range(0, len(x), step):
            part = slice(start, start + step)
            _apply(x[part], factors(x, drop, keys, batch, part)[0], drop, out[part])
        return out

    def _drop_together(self, x: Tensor, drop: Drop, keys: Tensor, out: Tensor) -> None:
        """Drop units of D draws of a tensor, shape (D, N, ...), of which the last may have no masks any more."""
        known = factors(x[0], drop, keys, BatchAxis(0))
        # What has no mask is run with the last one, and thrown away: sums of other sizes may be rounded otherwise.
        _apply(x, padded(known, len(x)), drop, out.view_as(x))

    def _factors(
        self, x: Tensor, drop: Drop, batch: BatchAxis, call: int, draw: int, keys: Callable[[int, slice], Tensor]
    ) -> Tensor:
        """Return what to multiply the units of a tensor by; of a small one, found out for several draws at once."""
        draws, shape, what, known = self._ahead.get(call, (range(0), None, None, x))
        if draw not in draws or (shape, what) != (x.shape, drop):
            known = factors(x, drop, keys(call, slice(draw, draw + max(1, _CHUNK // x.numel()))), batch)
            draws = range(draw, draw + len(known))
            self._ahead[call] = draws, x.shape, drop, known
        return known[draw - draws.start]


def _apply(x: Tensor, factors: Tensor, drop: Drop, out: Tensor) -> None:
    if not drop.alpha:
        torch.mul(x, factors.to(x.dtype), out=out)
        return
    stretch, shift = _alpha(drop.rate)
    out.copy_(torch.where(factors > 0, x * stretch + shift, stretch * _SELU + shift))


def _differentiable(x: Tensor, factors: Tensor, drop: Drop) -> Tensor:
    """Return ``x`` with units dropped, for autograd, which knows no results that are written elsewhere."""
    scale = factors.to(x.dtype)
    if not drop.alpha:
        return x.mul_(scale) if drop.inplace else x * scale
    stretch, shift = _alpha(drop.rate)
    return torch.where(scale > 0, x * stretch + shift, x.new_tensor(stretch * _SELU + shift))


def _alpha(rate: float) -> tuple[float, float]:
    """Return what alpha dropout multiplies by and adds, so that mean and variance stay."""
    stretch = 1 / sqrt((1 - rate) * (1 + rate * _SELU**2))
    return stretch, -stretch * rate * _SELU
