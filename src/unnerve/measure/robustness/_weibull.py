"""Fits of the reverse Weibull law to maxima, many at a time: the extreme values behind CLEVER."""

import math
from dataclasses import dataclass

import torch
from scipy import stats
from torch import Tensor

__all__ = ["WeibullFit", "fitted"]

_PENALTY = 0.01
"""Of the squared shape, as in the reference implementation: large shapes go with ends far beyond the sample."""
_STARTS = torch.logspace(-3, 3, 49, dtype=torch.float64)
"""Distances of the end from the largest maximum, in ranges of the sample, from which the best is refined."""
_REFINEMENTS, _SHAPE_STEPS = 40, 12
_SHAPES = (0.05, 400.0)
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class WeibullFit:
    """Reverse Weibull laws of P samples.

    Parameters
    ----------
    end : float64 Tensor of shape (P,)
        The largest value that the law allows (its location): what maxima would reach with endless sampling.
    shape, scale : float64 Tensors of shape (P,)
        NaN where all values of a sample are equal.
    fit : float64 Tensor of shape (P,)
        p-value of Kolmogorov and Smirnov, in [0, 1]; 1 where all values are equal.
    """

    end: Tensor
    shape: Tensor
    scale: Tensor
    fit: Tensor


def fitted(maxima: Tensor) -> WeibullFit:
    r"""Fit :math:`P(S \le s) = \exp(-((\mu - s) / \sigma)^c)` by maximum likelihood.

    The likelihood is maximised over the end :math:`\mu` alone: for a given end the shape solves one equation, and the
    scale follows from it. It is first tried at many ends, then refined around the best.

    Parameters
    ----------
    maxima : Tensor of shape (P, B)
        P samples of B values each.
    """
    s = maxima.double()
    top = s.amax(dim=1)
    span = top - s.amin(dim=1)
    # All gradients of a linear model are equal: then the largest value is the end, and there is nothing to fit.
    level = span <= 1e-9 * top.abs().clamp_min(1e-300)
    safe = torch.where(level, torch.ones_like(span), span)
    gaps = ((top.unsqueeze(1) - s) / safe.unsqueeze(1)).clamp_min(0)  # in [0, 1], the largest maximum has 0
    tried = torch.stack([_profile(gaps + start)[0] for start in _STARTS], dim=1)
    best = tried.argmax(dim=1)
    low = _STARTS.log()[(best - 1).clamp_min(0)]
    high = _STARTS.log()[(best + 1).clamp_max(len(_STARTS) - 1)]
    reach = _refined(gaps, low, high)
    _, shape, scale = _profile(gaps + reach.unsqueeze(1))
    # A sample of equal values has no shape.
    nothing = torch.full_like(shape, float("nan"))
    return WeibullFit(
        end=torch.where(level, top, top + reach * safe),
        shape=torch.where(level, nothing, shape),
        scale=torch.where(level, nothing, scale * safe),
        fit=torch.where(level, torch.ones_like(shape), _p_values(gaps + reach.unsqueeze(1), shape, scale)),
    )


def _profile(gaps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the penalised log-likelihood of gaps (P, B) > 0 with the best shape and scale: (P,) each."""
    logs = gaps.clamp_min(1e-12).log()
    mean = logs.mean(dim=1)
    shape = _shape(logs, mean)
    powers = shape.unsqueeze(1) * logs
    log_scale = (powers.logsumexp(dim=1) - torch.log(torch.tensor(float(gaps.shape[1])))) / shape
    standard = shape.unsqueeze(1) * (logs - log_scale.unsqueeze(1))
    likelihood = shape.log() - log_scale + (shape - 1) * (mean - log_scale) - standard.exp().mean(dim=1)
    return likelihood - _PENALTY * shape.square() / gaps.shape[1], shape, log_scale.exp()


def _shape(logs: Tensor, mean: Tensor) -> Tensor:
    """Return the shape that solves the likelihood equation of each sample, (P,)."""
    low, high = (torch.full_like(mean, math.log(bound)) for bound in _SHAPES)
    # Where the logarithms' spread puts it; exact for a large sample (Menon, 1963).
    away = (logs - mean.unsqueeze(1)).square().mean(dim=1).sqrt()
    at = (1.2825 / away.clamp_min(1e-3)).clamp(*_SHAPES).log()
    for _ in range(_SHAPE_STEPS):
        shape = at.exp()
        weights = (shape.unsqueeze(1) * logs).softmax(dim=1)
        centre = (weights * logs).sum(dim=1)
        spread = (weights * (logs - centre.unsqueeze(1)).square()).sum(dim=1)
        # The left side of the equation rises with the shape: its sign says on which side the root lies, and a step of
        # Newton's that leaves the bracket is replaced by its middle.
        left = centre - mean - 1 / shape
        low, high = torch.where(left > 0, low, at), torch.where(left > 0, at, high)
        step = at - left / (shape * (spread + shape.square().reciprocal()))
        at = torch.where((step >= low) & (step <= high), step, (low + high) / 2)
    return at.exp()


def _refined(gaps: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the distance of the end with the largest likelihood between two, by golden sections of its logarithm."""
    for _ in range(_REFINEMENTS):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        better = _profile(gaps + first.exp().unsqueeze(1))[0] > _profile(gaps + second.exp().unsqueeze(1))[0]
        low, high = torch.where(better, low, first), torch.where(better, second, high)
    return ((low + high) / 2).exp()


def _p_values(gaps: Tensor, shape: Tensor, scale: Tensor) -> Tensor:
    """Return the p-values of Kolmogorov and Smirnov's test of the fitted laws, (P,)."""
    count = gaps.shape[1]
    levels = torch.exp(-(gaps / scale.unsqueeze(1)).pow(shape.unsqueeze(1))).sort(dim=1).values
    steps = torch.arange(count, dtype=torch.float64)
    apart = torch.maximum((steps + 1) / count - levels, levels - steps / count).amax(dim=1)
    return torch.from_numpy(stats.kstwo.sf(apart.clamp(0, 1).numpy(), count))
