"""Exponential decay fitted by variable substitution (Zhang et al., "NSATP", DSA 2019, IV-D)."""

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["ExponentialFit", "exponential_fit", "rank_bins"]


@dataclass(frozen=True)
class ExponentialFit:
    r"""The curve :math:`f(x) = a e^{-bx}`.

    Parameters
    ----------
    a, b : float
        Height at x = 0, and rate of decay; ``abs(b)`` is the papers' Eff-D.
    r : float
        Correlation between the data and the curve at the same x; NaN if one of them is constant.
    points : int
        How many points were fitted (those with y > 0).
    """

    a: float
    b: float
    r: float
    points: int

    def __call__(self, x: Tensor) -> Tensor:
        """Return the curve's height at ``x``."""
        return self.a * torch.exp(-self.b * x)


def exponential_fit(x: Tensor, y: Tensor) -> ExponentialFit:
    r"""Fit an exponential decay by least squares on logarithms.

    .. math:: \ln y = \ln a - bx

    Points with y = 0 have no logarithm and are left out, as the paper's footnote 2 does.

    Parameters
    ----------
    x, y : Tensor of shape (K,)
        y in ``[0, 1]``.

    Returns
    -------
    ExponentialFit
        All NaN if fewer than two points with different x remain.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    # Zero has no logarithm; the paper leaves such inputs out as well (its footnote 2), which flatters the fit where
    # they are many.
    kept = y > 0
    x, y = x[kept].double(), y[kept].double()
    if len(x) < 2 or bool((x == x[0]).all()):
        return ExponentialFit(float("nan"), float("nan"), float("nan"), len(x))
    log = y.log()
    slope = float(((x - x.mean()) * (log - log.mean())).sum() / (x - x.mean()).square().sum())
    height = float((log.mean() - slope * x.mean()).exp())
    curve = height * torch.exp(slope * x)
    # Correlated with the curve itself, not on logarithms: that is the r that the paper prints.
    return ExponentialFit(height, -slope, _correlation(y, curve), len(x))


def rank_bins(values: Tensor, bins: int = 100) -> tuple[Tensor, Tensor]:
    """Average values over equal stretches of their order.

    Parameters
    ----------
    values : Tensor of shape (N,)
        In rank order, the most suspect first.
    bins : int
        At most this many stretches; fewer if there are fewer values.

    Returns
    -------
    centres : Tensor of shape (B,)
        Normalised rank in ``(0, 1)`` of the middle of each stretch.
    means : Tensor of shape (B,)
    """
    count = len(values)
    stretches = torch.arange(count).double().add(0.5).div(count)
    parts = [
        torch.stack([stretch.mean(), part.double().mean()])
        for stretch, part in zip(
            stretches.tensor_split(min(bins, count)), values.tensor_split(min(bins, count)), strict=True
        )
    ]
    both = torch.stack(parts)
    return both[:, 0], both[:, 1]


def _correlation(first: Tensor, second: Tensor) -> float:
    first, second = first - first.mean(), second - second.mean()
    scale = float((first.square().sum() * second.square().sum()).sqrt())
    return float((first * second).sum()) / scale if scale > 0 else float("nan")
