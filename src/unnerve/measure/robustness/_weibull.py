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
_REFINEMENTS = 40
_SHAPE_STEPS, _NEAR_STEPS = 12, 6
"""Of Newton's method, from nothing and from the shape that belongs to a near end."""
_AT_ONCE = 2**17
"""Numbers for which several ends are tried in one go: small ones cost more in calls than in work."""
_SHAPES = (0.05, 400.0)
_GOLDEN = (5**0.5 - 1) / 2

_Triple = tuple[Tensor, Tensor, Tensor]


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
    likelihoods, shapes = _tried(gaps)
    best = likelihoods.argmax(dim=0)
    low = _STARTS.log()[(best - 1).clamp_min(0)]
    high = _STARTS.log()[(best + 1).clamp_max(len(_STARTS) - 1)]
    reach = _refined(gaps, low, high, shapes.gather(0, best.unsqueeze(0)).squeeze(0))
    _, shape, scale = _profile(gaps + reach.unsqueeze(1))
    # A sample of equal values has no shape.
    nothing = torch.full_like(shape, float("nan"))
    return WeibullFit(
        end=torch.where(level, top, top + reach * safe),
        shape=torch.where(level, nothing, shape),
        scale=torch.where(level, nothing, scale * safe),
        fit=torch.where(level, torch.ones_like(shape), _p_values(gaps + reach.unsqueeze(1), shape, scale)),
    )


def _tried(gaps: Tensor) -> tuple[Tensor, Tensor]:
    """Return the likelihood of each start and the shape that goes with it, (starts, P) each."""
    found = []
    for starts in _STARTS.split(max(1, _AT_ONCE // gaps.numel())):
        moved = (gaps + starts.view(-1, 1, 1)).flatten(0, 1)
        likelihood, shape, _ = _profile(moved)
        found.append(torch.stack([likelihood, shape]).view(2, len(starts), len(gaps)))
    likelihoods, shapes = torch.cat(found, dim=1)
    return likelihoods, shapes


def _profile(gaps: Tensor, near: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Return the penalised log-likelihood of gaps (P, B) > 0 with the best shape and scale: (P,) each.

    Shapes (P,) ``near`` the best ones make it quicker.
    """
    logs = gaps.clamp_min(1e-12).log()
    mean = logs.mean(dim=1)
    shape = _shape(logs, mean, near)
    powers = shape.unsqueeze(1) * logs
    log_scale = (powers.logsumexp(dim=1) - math.log(gaps.shape[1])) / shape
    standard = shape.unsqueeze(1) * (logs - log_scale.unsqueeze(1))
    likelihood = shape.log() - log_scale + (shape - 1) * (mean - log_scale) - standard.exp().mean(dim=1)
    return likelihood - _PENALTY * shape.square() / gaps.shape[1], shape, log_scale.exp()


def _shape(logs: Tensor, mean: Tensor, near: Tensor | None) -> Tensor:
    """Return the shape that solves the likelihood equation of each sample, (P,)."""
    low, high = (torch.full_like(mean, math.log(bound)) for bound in _SHAPES)
    # Where the logarithms' spread puts it; exact for a large sample (Menon, 1963).
    away = (logs - mean.unsqueeze(1)).square().mean(dim=1).sqrt()
    at = (1.2825 / away.clamp_min(1e-3)).clamp(*_SHAPES).log() if near is None else near.log()
    for _ in range(_SHAPE_STEPS if near is None else _NEAR_STEPS):
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


def _refined(gaps: Tensor, low: Tensor, high: Tensor, shape: Tensor) -> Tensor:
    """Return the distance of the end with the largest likelihood between two, by golden sections of its logarithm.

    ``shape``, (P,), is that of an end between the two.
    """
    first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_first, of_second = (_profile(gaps + at.exp().unsqueeze(1), shape) for at in (first, second))
    for _ in range(_REFINEMENTS):
        better = of_first[0] > of_second[0]
        low, high = torch.where(better, low, first), torch.where(better, second, high)
        # One of the two becomes an inner point of what is left: only one is tried anew.
        kept = torch.where(better, first, second)
        of_kept = _chosen(better, of_first, of_second)
        fresh = torch.where(better, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        of_fresh = _profile(gaps + fresh.exp().unsqueeze(1), of_kept[1])
        first, second = torch.where(better, fresh, kept), torch.where(better, kept, fresh)
        of_first, of_second = _chosen(better, of_fresh, of_kept), _chosen(better, of_kept, of_fresh)
    return ((low + high) / 2).exp()


def _chosen(better: Tensor, one: _Triple, other: _Triple) -> _Triple:
    first, second, third = (torch.where(better, *both) for both in zip(one, other, strict=True))
    return first, second, third


def _p_values(gaps: Tensor, shape: Tensor, scale: Tensor) -> Tensor:
    """Return the p-values of Kolmogorov and Smirnov's test of the fitted laws, (P,)."""
    count = gaps.shape[1]
    levels = torch.exp(-(gaps / scale.unsqueeze(1)).pow(shape.unsqueeze(1))).sort(dim=1).values
    steps = torch.arange(count, dtype=torch.float64)
    apart = torch.maximum((steps + 1) / count - levels, levels - steps / count).amax(dim=1)
    return torch.from_numpy(stats.kstwo.sf(apart.clamp(0, 1).numpy(), count))
