"""Feature squeezing: an input whose answer changes when it is simplified is suspect (Xu et al., NDSS 2018)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from unnerve.core.data.conversion import converted
from unnerve.core.data.examples import Examples
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Classifier, Differentiable, Observation, require
from unnerve.core.subject import Subject
from unnerve.generate.perturbations.metamorphic import median
from unnerve.generate.transforms._random_rows import check_images
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.generate.transforms.non_local_means import NonLocalMeans

__all__ = ["Squeezing"]

_ROWS = 64
"""Images that are smoothed at a time: the pixels of a window are gone through for all of them at once."""


@dataclass(frozen=True)
class Squeezing:
    """Joint detector: the largest L1 distance between the answer to an input and to its squeezed copies.

    Squeezers are fewer bits per value, a median filter, and for colour images non-local means.

    Parameters
    ----------
    bits : int or None
        Of the squeezed values, in [1, 16]; as published if None: 1 for grey images, 5 for others.
    window : int
        Side of the median filter, >= 2.
    false_positives : float
        Share of clean inputs above the threshold, in ``(0, 1)``; it is set there by calibration.
    threshold : float or None
        Distance in [0, 2] above which an input is suspect; calibration sets it if None, and keeps it if not.

    References
    ----------
    Xu et al., "Feature Squeezing: Detecting Adversarial Examples in Deep Neural Networks", 2018.
    """

    bits: int | None = None
    window: int = 2
    false_positives: float = 0.05
    threshold: float | None = None
    held: ValueRange = field(default=UNIT, metadata={"setting": False})
    needs = Capability.ANSWERS
    axes = 3  # of one input

    def __post_init__(self) -> None:
        if self.bits is not None:
            BitDepth(self.bits)
        if self.window < 2:
            raise InvalidSetting(f"window must be >= 2, got {self.window}")
        if not 0 < self.false_positives < 1:
            raise InvalidSetting(f"false_positives must be in (0, 1), got {self.false_positives}")
        if self.threshold is not None and not 0 <= self.threshold <= 2:
            raise InvalidSetting(f"threshold must be in [0, 2], got {self.threshold}")

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless the data are images."""
        check_images("squeezing", data.batch([0]).inputs)

    def calibrated(self, subject: Subject[Classifier], clean: Examples) -> "Squeezing":
        """Return the detector with the threshold that the stated share of clean inputs exceeds, if it has none."""
        known = replace(self, held=clean.value_range)
        if known.threshold is not None:
            return known
        far = torch.cat([known.distance(subject, batch.inputs) for batch in clean.batches(512)])
        # Probabilities add up to one but for rounding, so that a distance may be a little above 2.
        return replace(known, threshold=min(2.0, float(far.quantile(1 - self.false_positives))))

    @property
    def knowledge(self) -> dict[str, object]:
        """What it learnt."""
        return {"threshold": self.threshold, "value_range": list(self.held)}

    def recalled(self, knowledge: Mapping[str, Any]) -> "Squeezing":
        """Return the detector with its threshold, and the range of values that it was set for."""
        low, high = knowledge["value_range"]
        return replace(self, threshold=knowledge["threshold"], held=(low, high))

    def suspicion(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the distance above the threshold, (N,)."""
        if self.threshold is None:
            raise InvalidSetting("squeezing has no threshold yet; calibrate it with clean inputs")
        return self.distance(subject, x) - self.threshold

    def suspicion_gradient(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the gradient of the mean distance to the squeezed copies, straight through the squeezers: (N, ...)."""
        model = subject.model
        require(model, Capability.GRADIENTS, "an attack that knows squeezing")
        assert isinstance(model, Differentiable)
        own = model.observe(x).probabilities
        total = torch.zeros_like(x)
        for squeezed in self.squeezed(x):
            # The input moves both answers: each is differentiated where it is given, with the other one held.
            other = model.observe(squeezed).probabilities
            total += model.gradient(x, _apart, other)[1] + model.gradient(squeezed, _apart, own)[1]
        return total

    def distance(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the largest L1 distance of probabilities, in [0, 2], of inputs (N, C, H, W): (N,)."""
        check_images("squeezing", x)
        own = subject.model.observe(x).probabilities
        answers = (subject.model.observe(one).probabilities for one in self.squeezed(x))
        return torch.stack([(own - answer).abs().sum(dim=1) for answer in answers]).amax(dim=0)

    def squeezed(self, x: Tensor) -> list[Tensor]:
        """Return the squeezed copies of images (N, C, H, W)."""
        bits = BitDepth(self.bits or (1 if x.shape[1] == 1 else 5))
        unit = converted(x, self.held, UNIT)
        # Reflected at the edge itself, which torch does not offer: for the usual 2 x 2 it is the same as repeating it.
        squeezed = [bits(unit), median(unit, self.window, "replicate")]
        if x.shape[1] > 1:
            # As published: 13-3-2 for CIFAR-10, 11-3-4 for ImageNet.
            means = NonLocalMeans(13, 3, 2) if x.shape[-1] < 64 else NonLocalMeans(11, 3, 4)
            squeezed.append(torch.cat([means(part) for part in unit.split(_ROWS)]))
        return [converted(one, UNIT, self.held) for one in squeezed]


def _apart(seen: Observation, other: Tensor) -> Tensor:
    """Return the L1 distance of probabilities from others, (N,)."""
    return (seen.logits.softmax(dim=1) - other.to(seen.logits)).abs().sum(dim=1)
