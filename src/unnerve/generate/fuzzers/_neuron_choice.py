"""DLFuzz's strategies: which neurons an image shall activate next."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["STRATEGIES", "Activity", "chosen_neurons"]

_SHARE = 0.1  # of the neurons that strategy 2 chooses among
_ABOVE, _BELOW = 0.25, 0.2  # how near to the threshold strategy 3 looks
_IN_ORDER = "2"  # the strategy that is filled up with neurons in the network's order, not with any


@dataclass(frozen=True, eq=False)
class Activity:
    """What the strategies look at.

    Parameters
    ----------
    counts : int64 Tensor of shape (U,)
        How often each neuron has been activated so far, by the images themselves too.
    weights : Tensor of shape (U,)
        Mean incoming weights; NaN without any.
    relative : Tensor of shape (N, U)
        The neurons of N images, relative to their layers, in [0, 1].
    hidden : bool Tensor of shape (U,)
        Which neurons do not belong to the answer.
    threshold : float
        Above which a neuron is activated.
    """

    counts: Tensor
    weights: Tensor
    relative: Tensor
    hidden: Tensor
    threshold: float


def chosen_neurons(strategies: str, activity: Activity, count: int, draws: Tensor) -> tuple[Tensor, Tensor]:
    """Choose neurons for each of N images, by several strategies in equal parts.

    Parameters
    ----------
    strategies : str
        Keys of ``STRATEGIES``, such as ``02``.
    activity : Activity
    count : int
        How many for each image; the first strategies have one more where they do not divide.
    draws : Tensor of shape (N, len(strategies), U)
        Uniform in [0, 1).

    Returns
    -------
    neurons : int64 Tensor of shape (N, count)
    signs : int64 Tensor of shape (N, count)
        1 to activate a neuron further, -1 to do the opposite.
    """
    neurons, signs = [], []
    for place, key in enumerate(strategies):
        share = count // len(strategies) + (place < count % len(strategies))
        odds, sign = STRATEGIES[key](activity)
        # The smallest of exponential times with these rates: a choice without repetition, in proportion to the odds.
        times = -torch.log1p(-draws[:, place].double()) / odds
        picked = _first(torch.nan_to_num(times, nan=float("inf")), draws[:, place], key)[:, :share]
        neurons.append(picked)
        signs.append(sign.gather(1, picked))
    return torch.cat(neurons, dim=1), torch.cat(signs, dim=1)


def _first(times: Tensor, draws: Tensor, key: str) -> Tensor:
    """Return all neurons (N, U), those with odds by their times and the others behind them."""
    # Differs: where neurons with odds are too few, the release draws any under r, also twice, takes fewer under 3, and
    # breaks off under the others; here others are drawn, each once. Under 2 they follow in the network's order.
    if key == _IN_ORDER:
        return times.argsort(dim=1, stable=True)
    drawn = draws.argsort(dim=1, stable=True)
    return drawn.gather(1, times.gather(1, drawn).argsort(dim=1, stable=True))


Odds = tuple[Tensor, Tensor]
"""Odds and signs of every neuron for every image, (N, U) each, float64 and int64."""


def _uncovered(activity: Activity) -> Odds:
    return _alike(activity, activity.counts == 0)


def _often_covered(activity: Activity) -> Odds:
    return _alike(activity, activity.counts)


def _rarely_covered(activity: Activity) -> Odds:
    return _alike(activity, activity.counts.amax() - activity.counts)


def _heavy(activity: Activity) -> Odds:
    # Differs: the release chooses among a tenth of all neurons; here it is a tenth of those that have weights.
    weights = torch.nan_to_num(activity.weights, nan=float("-inf"))
    most = max(1, int(_SHARE * int(torch.isfinite(weights).sum())))
    top = torch.zeros(len(weights), dtype=torch.bool)
    top[weights.argsort(descending=True, stable=True)[:most]] = True
    return _alike(activity, top & (weights > 0))


def _near_the_threshold(activity: Activity) -> Odds:
    # Differs: the release leaves out its dense layers too, which it knows by name, takes the first neurons it comes
    # to, half of them from each side, and forgets what other strategies chose before; here all such are drawn alike.
    distance = activity.relative - activity.threshold
    near = (distance > 0) & (distance < _ABOVE) | (distance <= 0) & (distance > -_BELOW)
    odds = (near & activity.hidden).double()
    return odds, torch.where(distance > 0, 1, -1)


def _alike(activity: Activity, odds: Tensor) -> Odds:
    """Return the same odds for all images, of neurons that shall all be activated further."""
    everywhere = odds.double().expand(len(activity.relative), -1)
    return everywhere, torch.ones_like(everywhere, dtype=torch.int64)


STRATEGIES: Mapping[str, Callable[[Activity], Odds]] = {
    "r": _uncovered,
    "0": _often_covered,
    "1": _rarely_covered,
    "2": _heavy,
    "3": _near_the_threshold,
}
"""By DLFuzz's number; ``r`` draws among neurons that were never activated."""
