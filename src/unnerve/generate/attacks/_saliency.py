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
    places = _leading(rise, fall)
    places = _needed(places, *_at(places, rise, fall))
    if places.shape[1] > PAIRED:
        bound = _product(*(one + one.amax(dim=1, keepdim=True) for one in _at(places, rise, fall)))
        places = places.gather(1, bound.topk(PAIRED, dim=1).indices)
    best, values = _best_among(*_at(places, rise, fall))
    return places.clamp_min(0).gather(1, best), values


def _at(places: Tensor, rise: Tensor, fall: Tensor) -> tuple[Tensor, Tensor]:
    """Return both slopes (N, F) of features (N, W); minus infinity where there is none, -1."""
    chosen, absent = places.clamp_min(0), places < 0
    rise, fall = (one.gather(1, chosen).masked_fill_(absent, -torch.inf) for one in (rise, fall))
    return rise, fall


def _leading(rise: Tensor, fall: Tensor) -> Tensor:
    """Return the features that the two with the largest sum of both do not outdo; they are few, and quickly found."""
    two = (rise + fall).topk(2, dim=1).indices
    more = [one > one.gather(1, two).amin(dim=1, keepdim=True) for one in (rise, fall)]
    return _kept(torch.logical_or(*more).scatter_(1, two, value=True), torch.arange(rise.shape[1]).expand_as(rise))


def _needed(places: Tensor, rise: Tensor, fall: Tensor) -> Tensor:
    """Return those of the features (N, W) that at most one other outdoes."""
    order = rise.argsort(dim=1, descending=True, stable=True)
    ordered = fall.gather(1, order)
    # Of the features so far, which have no less rise, the largest and the second largest fall.
    most = ordered.cummax(dim=1).values
    second = ordered[:, 1:].minimum(most[:, :-1]).cummax(dim=1).values
    needed = torch.ones_like(order, dtype=torch.bool)
    needed[:, 2:] = ordered[:, 2:] > second[:, :-1]
    return _kept(needed, places.gather(1, order))


def _kept(wanted: Tensor, places: Tensor) -> Tensor:
    """Return the wanted features of (N, F), moved to the front and filled up with -1: (N, W)."""
    counts = wanted.cumsum(dim=1)
    width = int(counts[:, -1].amax())
    front = torch.full((len(places), width + 1), -1)
    return front.scatter_(1, torch.where(wanted, counts - 1, width), places)[:, :width]


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
