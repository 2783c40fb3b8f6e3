"""The best pair of features in a saliency map, without trying all pairs of all features."""

import torch
from torch import Tensor

__all__ = ["PAIRED", "best_pairs"]

PAIRED = 4096
"""Most features of an input that are paired with each other."""

_AT_ONCE = 2**20


def best_pairs(rise: Tensor, fall: Tensor) -> tuple[Tensor, Tensor]:
    r"""Find the features p, q that maximise :math:`(r_p + r_q)(f_p + f_q)` where both sums are positive.

    A feature of which two others have no less rise and no less fall is not needed: one of the two could stand in for
    it in any pair. The few that remain are all paired with each other, so the result is that of trying all pairs. If
    more than ``PAIRED`` remain, which takes an input with more features than that, those that the best conceivable
    partner would bring farthest are paired; that may miss the best pair.

    Parameters
    ----------
    rise, fall : Tensor of shape (N, F)
        Minus infinity for features that may not be chosen; F >= 2.

    Returns
    -------
    pairs : int64 Tensor of shape (N, 2)
    values : Tensor of shape (N,)
        What the pairs reach; minus infinity where there is none.
    """
    order = _needed(rise, fall)
    chosen = order.clamp_min(0)
    places, values = _best_among(*(one.gather(1, chosen).masked_fill_(order < 0, -torch.inf) for one in (rise, fall)))
    return chosen.gather(1, places), values


def _needed(rise: Tensor, fall: Tensor) -> Tensor:
    """Return the features of each row that at most one other outdoes, (N, W), filled up with -1."""
    order = rise.argsort(dim=1, descending=True)
    ordered = fall.gather(1, order)
    # Of the features so far, which have no less rise, the largest and the second largest fall.
    most = ordered.cummax(dim=1).values
    second = ordered[:, 1:].minimum(most[:, :-1]).cummax(dim=1).values
    needed = torch.ones_like(order, dtype=torch.bool)
    needed[:, 2:] = ordered[:, 2:] > second[:, :-1]
    width = int(needed.sum(dim=1).amax())
    places = torch.where(needed, needed.cumsum(dim=1) - 1, width)
    front = torch.full((len(rise), width + 1), -1).scatter_(1, places, order)[:, :width]
    if width <= PAIRED:
        return front
    bound = _product(*(one + one.amax(dim=1, keepdim=True) for one in (rise, fall))).gather(1, front.clamp_min(0))
    return front.gather(1, bound.masked_fill_(front < 0, -torch.inf).topk(PAIRED, dim=1).indices)


def _product(rise: Tensor, fall: Tensor) -> Tensor:
    """Multiply where both are positive; minus infinity elsewhere."""
    return torch.where((rise > 0) & (fall > 0), rise * fall, -torch.inf)


def _best_among(rise: Tensor, fall: Tensor) -> tuple[Tensor, Tensor]:
    """Try all pairs of (N, W) features, a block at a time: places (N, 2) and values (N,) of the best."""
    count, width = rise.shape
    if count > 1 and count * width > _AT_ONCE:
        parts = [_best_among(*part) for part in zip(rise.chunk(2), fall.chunk(2), strict=True)]
        return torch.cat([places for places, _ in parts]), torch.cat([values for _, values in parts])
    places, values = torch.zeros((count, 2), dtype=torch.int64), torch.full((count,), -torch.inf)
    order, block = torch.arange(width), max(1, _AT_ONCE // (count * width))
    for first in order.split(block):
        sums = (one[:, first, None] + one[:, None, :] for one in (rise, fall))
        reached = _product(*sums).masked_fill_(first[:, None] >= order, -torch.inf).flatten(1)
        top = reached.max(dim=1)
        better = top.values > values
        found = torch.stack([first[top.indices // width], top.indices % width], dim=1)
        places = torch.where(better[:, None], found, places)
        values = torch.where(better, top.values, values)
    return places, values
