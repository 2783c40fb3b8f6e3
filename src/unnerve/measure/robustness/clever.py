"""CLEVER: a lower bound of the smallest change of an answer, from extreme values of gradients (Weng et al., 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Differentiable, Observation, Want, require
from unnerve.core.streams import Streams
from unnerve.measure.robustness._balls import BALLS
from unnerve.measure.robustness._weibull import WeibullFit, fitted

__all__ = ["Clever", "CleverScores"]

_WORST_FIT = 0.001
_GROUPS = 10
_VALUES = 2**21
"""Numbers in the gradients that are held at a time: enough for whole micro-batches of small images."""
TARGETS = ("all", "top2", "random", "least")


@dataclass(frozen=True, eq=False)
class CleverScores:
    """CLEVER scores of N inputs.

    Parameters
    ----------
    score : Tensor of shape (N,)
        The least over the targets, in ``[0, radius]``: within that distance the answer is estimated not to change;
        NaN, as its error and its fit, where the model answers with the only target already.
    error : Tensor of shape (N,)
        Standard error of the score, from the samples' spread (jackknife over ten groups of batches).
    target : int64 Tensor of shape (N,)
        The class with the least score.
    predicted : int64 Tensor of shape (N,)
        The class whose margin is measured: the model's answer, right or wrong.
    fit : Tensor of shape (N,)
        p-value of the Weibull fit behind the score; below 0.001 the largest gradient stands in for the fit.
    """

    score: Tensor
    error: Tensor
    target: Tensor
    predicted: Tensor
    fit: Tensor


@dataclass(frozen=True)
class Clever:
    r"""Estimate the distance within which a model's answer does not change.

    .. math:: \min_{j \ne c} \min\left(R, \frac{f_c(x) - f_j(x)}{\max_{y \in B} \|\nabla (f_c - f_j)(y)\|_q}\right)

    The largest gradient in the ball is the end of a reverse Weibull law, fitted to the maxima of ``batches`` samples
    of ``samples`` points. It is an estimate: an attack may find a nearer change.

    Parameters
    ----------
    norm : str
        Of the distance: ``l1``, ``l2`` or ``linf``; q is the dual one.
    radius : float
        R, > 0; no score is larger.
    batches : int
        Maxima that are fitted, >= 10.
    samples : int
        Points for each maximum, >= 1.
    targets : str or int
        Classes j: ``all``, or one of them: ``top2`` the next likely, ``random``, ``least`` the least likely, or the
        number of a class.
    seed : int
        The random seed of the points.

    References
    ----------
    Weng et al., "Evaluating the Robustness of Neural Networks: An Extreme Value Theory Approach", 2018.
    """

    norm: str = "l2"
    radius: float = 5.0
    batches: int = 50
    samples: int = 128
    targets: str | int = "all"
    seed: int = 0
    needs = Capability.GRADIENTS

    def __post_init__(self) -> None:
        if self.norm not in BALLS:
            raise InvalidSetting(f"norm must be {' or '.join(BALLS)}, got '{self.norm}'")
        if not self.radius > 0:
            raise InvalidSetting(f"radius must be > 0, got {self.radius}")
        if self.batches < _GROUPS:
            raise InvalidSetting(f"batches must be >= {_GROUPS}, got {self.batches}")
        if self.samples < 1:
            raise InvalidSetting(f"samples must be >= 1, got {self.samples}")
        if not (self.targets >= 0 if isinstance(self.targets, int) else self.targets in TARGETS):
            words = f"{' or '.join(TARGETS)} or the number of a class"
            raise InvalidSetting(f"targets must be {words}, got '{self.targets}'")

    def scores(
        self, model: Differentiable, batch: Batch, value_range: tuple[float, float] = (0.0, 1.0)
    ) -> CleverScores:
        """Return the scores of N inputs; points are clipped to the range of valid values."""
        require(model, Capability.GRADIENTS, "clever")
        seen = model.observe(batch.inputs)
        predicted, goals = seen.predicted.cpu(), self._goals(seen, batch)
        margins = _margins(seen.logits.double().cpu(), predicted, goals)
        maxima = self._maxima(model, batch, predicted, goals, value_range)
        whole = fitted(maxima.flatten(0, 1))
        score, place = self._least(margins, maxima, whole)
        spread = self._left_out(margins, maxima)
        error = ((spread - spread.mean(dim=0)).square().sum(dim=0) * (_GROUPS - 1) / _GROUPS).sqrt()
        target = goals.gather(1, place.unsqueeze(1)).squeeze(1)
        fit = whole.fit.view(len(score), -1).gather(1, place.unsqueeze(1)).squeeze(1)
        # No distance leads from a class to itself. Classes other than one that is given are never the predicted one.
        score, error, fit = (one.masked_fill(target == predicted, torch.nan) for one in (score, error, fit))
        return CleverScores(score, error, target, predicted, fit)

    def _goals(self, seen: Observation, batch: Batch) -> Tensor:
        """Return the classes that are looked at, int64 (N, K): all are other ones, but for a class that is given."""
        if isinstance(self.targets, int):
            known = seen.logits.shape[1]
            if self.targets >= known:
                raise InvalidSetting(f"targets must be < {known}, the model's number of classes, got {self.targets}")
            return torch.full((len(batch), 1), self.targets)
        order = seen.logits.cpu().argsort(dim=1, descending=True, stable=True)
        others = order[order != seen.predicted.cpu().unsqueeze(1)].view(len(order), -1)
        if self.targets == "all":
            return others
        if self.targets == "random":
            # A draw that no point has: balls take up to three in each step, from 0 on.
            draws = Streams(self.seed, batch.ids).uniform(0, 9, ()).double()
            return others.gather(1, (draws * others.shape[1]).long().unsqueeze(1))
        return others[:, :1] if self.targets == "top2" else others[:, -1:]

    def _maxima(
        self, model: Differentiable, batch: Batch, predicted: Tensor, goals: Tensor, valid: tuple[float, float]
    ) -> Tensor:
        """Return the largest gradient of each batch of points, float64 (N, K, batches)."""
        size = batch.inputs[0].numel()
        at_once = max(1, _VALUES // (self.samples * goals.shape[1] * size))
        # Several batches of points at a time where there are few inputs: a micro-batch should be full.
        steps = torch.arange(self.batches).split(max(1, at_once // len(batch)))
        found = []
        for some in steps:
            parts = []
            for rows in torch.arange(len(batch)).split(at_once):
                points = self._points(batch, rows, some.tolist()).clamp_(*valid)
                parts.append(self._norms(model, points, batch.inputs.shape[1:], predicted[rows], goals[rows]))
            found.append(torch.cat(parts))
        return torch.cat(found, dim=2)

    def _points(self, batch: Batch, rows: Tensor, steps: list[int]) -> Tensor:
        """Return the points around some inputs of some batches, (n, steps, samples, size)."""
        ball, near = BALLS[self.norm], batch.inputs[rows].flatten(1)
        streams = Streams(self.seed, [batch.ids[row] for row in rows.tolist()])
        made = [ball.points(streams, step, self.samples, near.shape[1]).mul_(self.radius) for step in steps]
        return torch.stack([offsets.add_(near.unsqueeze(1)) for offsets in made], dim=1)

    def _norms(
        self, model: Differentiable, points: Tensor, shape: torch.Size, predicted: Tensor, goals: Tensor
    ) -> Tensor:
        """Return the largest dual norm of each target at points (n, steps, samples, size): (n, K, steps)."""
        count, steps, samples = points.shape[:3]
        x = points.view(count * steps * samples, *shape)
        classes = torch.cat([predicted.unsqueeze(1), goals], dim=1).repeat_interleave(steps * samples, dim=0)
        # One gradient a target, that of its margin: one fewer than the gradients of all classes.
        _, gradients, _ = model.gradient(x, _margin, classes, Want.MANY_GRADIENTS)
        norms = BALLS[self.norm].dual(gradients.flatten(2))
        return norms.view(count, steps, samples, -1).amax(dim=2).transpose(1, 2).double().cpu()

    def _left_out(self, margins: Tensor, maxima: Tensor) -> Tensor:
        """Return the scores without one group of batches each, (groups, N); groups of one size are fitted together."""
        batches = torch.arange(maxima.shape[2])
        kept = [maxima[:, :, batches % _GROUPS != group] for group in range(_GROUPS)]
        found: list[Tensor | None] = [None] * _GROUPS
        for size in sorted({one.shape[2] for one in kept}):
            places = [group for group, one in enumerate(kept) if one.shape[2] == size]
            some = torch.cat([kept[group] for group in places])
            scores, _ = self._least(margins.repeat(len(places), 1), some, fitted(some.flatten(0, 1)))
            for group, one in zip(places, scores.view(len(places), -1), strict=True):
                found[group] = one
        return torch.stack([one for one in found if one is not None])

    def _least(self, margins: Tensor, maxima: Tensor, fit: WeibullFit) -> tuple[Tensor, Tensor]:
        """Return the least score over the targets and its place among them, (N,) each."""
        end, p_value = (one.view(margins.shape) for one in (fit.end, fit.fit))
        steepest = torch.where(p_value < _WORST_FIT, maxima.amax(dim=2), end)
        # A gradient of zero everywhere: nothing in the ball changes the answer.
        scores = (margins / steepest.clamp_min(1e-300)).clamp(0, self.radius)
        least = scores.min(dim=1)
        return least.values, least.indices


def _margin(seen: Observation, classes: Tensor) -> Tensor:
    """Return by how much the first of some classes (N, 1 + K) leads each of the others, (N, K)."""
    return seen.logits.gather(1, classes[:, :1]) - seen.logits.gather(1, classes[:, 1:])


def _margins(logits: Tensor, predicted: Tensor, goals: Tensor) -> Tensor:
    return logits.gather(1, predicted.unsqueeze(1)) - logits.gather(1, goals)
