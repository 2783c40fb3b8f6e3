"""Attacks on a defended model that know its defence: past a detector, or on a model that answers in its place."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from unnerve.core.detectors import Detector
from unnerve.core.errors import InvalidSetting
from unnerve.core.fitting import steepest_step
from unnerve.core.methods import Normed
from unnerve.core.model import Capability, Classifier, Differentiable, Observation, require
from unnerve.core.subject import Subject

__all__ = ["Evadable", "Evasion"]

_WIDTH = 2.0
"""Of a region, in radii."""


@runtime_checkable
class Evadable(Protocol):
    """A detector whose suspicion can be followed down."""

    def suspicion_gradient(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the direction in which the suspicion of inputs (N, ...) rises, (N, ...); its length does not count."""
        ...


@dataclass(frozen=True)
class Evasion:
    """Steps towards the most likely wrong answer, and, once it is given, away from suspicion.

    Parameters
    ----------
    steps : int
        >= 2; however few, all together they are at least as long as the region is wide.
    margin : float
        Lead of the wrong answer, in logits, below which a step goes for the answer, >= 0.

    References
    ----------
    Carlini and Wagner, "Adversarial Examples Are Not Easily Detected", 2017; Athalye et al., "Obfuscated Gradients
    Give a False Sense of Security", 2018; Tramer et al., "On Adaptive Attacks to Adversarial Example Defenses", 2020.
    """

    steps: int = 60
    margin: float = 1.0

    def __post_init__(self) -> None:
        if self.steps < 2:
            raise InvalidSetting(f"steps must be >= 2, got {self.steps}")
        if self.margin < 0:
            raise InvalidSetting(f"margin must be >= 0, got {self.margin}")

    def broken(
        self, model: Classifier, x: Tensor, labels: Tensor, region: Normed, detector: Detector | None = None
    ) -> Tensor:
        """Say for which inputs (N, ...) a wrong answer was found, unnoticed if there is a detector: bool (N,)."""
        require(model, Capability.GRADIENTS, "an attack that knows the defence")
        assert isinstance(model, Differentiable)
        centre, subject = x, Subject(model)
        wrong = model.observe(x).logits.scatter(1, labels.unsqueeze(1), -torch.inf).argmax(dim=1)
        done, rows = torch.zeros(len(x), dtype=torch.bool), torch.arange(len(x))
        speed, x = torch.zeros_like(x), x.clone()
        for size in self._sizes():
            direction = self._direction(subject, x, wrong[rows], detector)
            speed = 0.75 * speed + direction
            x = region.project(x + steepest_step(region, speed, centre) * (region.reach * size), centre)
            fooled = model.observe(x).predicted != labels[rows]
            if detector is not None and bool(fooled.any()):
                # A copy chooses where to write: the mask itself is what is written to.
                fooled[fooled.clone()] = detector.suspicion(subject, x[fooled]) <= 0
            done[rows[fooled]] = True
            rows, x, centre, speed = (one[~fooled] for one in (rows, x, centre, speed))
            if not len(rows):
                break
        return done

    def _sizes(self) -> list[float]:
        """Return the sizes of the steps as shares of the radius, from large to small."""
        shares = [step / (self.steps - 1) for step in range(self.steps)]
        sizes = [0.2 ** (1 - share) * 0.01**share for share in shares]
        # Shorter than the region is wide, they could not reach its edge: a weak attack makes every defence look strong.
        longer = max(1.0, _WIDTH / sum(sizes))
        return [longer * size for size in sizes]

    def _direction(self, subject: Subject[Differentiable], x: Tensor, wrong: Tensor, detector: object) -> Tensor:
        def loss(seen: Observation, classes: Tensor) -> Tensor:
            return -cross_entropy(seen.logits, classes, reduction="none")

        _, towards, seen = subject.model.gradient(x, loss, wrong)
        if not isinstance(detector, Evadable):
            return evened(towards)
        given = seen.lead(wrong) >= self.margin
        suspect = detector.suspicion_gradient(Subject(subject.model), x)
        shape = (-1, *[1] * (x.ndim - 1))
        # Where the wrong answer is clear the two pull together: an answer that is lost again is worth nothing.
        share = torch.where(given, 0.2, 1.0).view(shape)
        return evened(towards) * share - evened(suspect) * given.view(shape).to(x)


def evened(gradient: Tensor) -> Tensor:
    """Return gradients (N, ...) scaled to a mean size of one; zeros stay zeros."""
    size = gradient.flatten(1).abs().mean(dim=1).clamp(min=1e-20)
    return gradient / size.view(-1, *[1] * (gradient.ndim - 1))
