"""Feature squeezing: an input whose answer changes when it is simplified is suspect (Xu et al., NDSS 2018)."""

from dataclasses import dataclass, field, replace

import torch
import torch.nn.functional as nnf
from torch import Tensor

from unnerve.core.data.conversion import converted
from unnerve.core.data.examples import Examples
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.transforms.bit_depth import BitDepth

__all__ = ["Squeezing"]


@dataclass(frozen=True)
class Squeezing:
    """Joint detector: the largest L1 distance between the answer to an input and to its squeezed copies.

    Squeezers are fewer bits per value and a median filter.

    Parameters
    ----------
    bits : int or None
        Of the squeezed values, in [1, 16]; as published if None: 1 for grey images, 5 for others.
    window : int
        Side of the median filter, >= 2.
    false_positives : float
        Share of clean inputs above the threshold, in ``(0, 1)``; it is set there by calibration.
    threshold : float or None
        Distance in [0, 2] above which an input is suspect; None until it is calibrated.

    References
    ----------
    Xu et al., "Feature Squeezing: Detecting Adversarial Examples in Deep Neural Networks", 2018.
    """

    # Differs: published detectors of colour images have a third squeezer, non-local means, which is not here.
    bits: int | None = None
    window: int = 2
    false_positives: float = 0.05
    threshold: float | None = None
    held: ValueRange = field(default=UNIT, metadata={"setting": False})
    needs = Capability.ANSWERS

    def __post_init__(self) -> None:
        if self.bits is not None:
            BitDepth(self.bits)
        if self.window < 2:
            raise InvalidSetting(f"window must be >= 2, got {self.window}")
        if not 0 < self.false_positives < 1:
            raise InvalidSetting(f"false_positives must be in (0, 1), got {self.false_positives}")

    def calibrated(self, subject: Subject[Classifier], clean: Examples) -> "Squeezing":
        """Return the detector with the threshold that the stated share of clean inputs exceeds."""
        known = replace(self, held=clean.value_range)
        far = torch.cat([known.distance(subject, batch.inputs) for batch in clean.batches(512)])
        return replace(known, threshold=float(far.quantile(1 - self.false_positives)))

    def suspicion(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the distance above the threshold, (N,)."""
        if self.threshold is None:
            raise InvalidSetting("squeezing has no threshold yet; calibrate it with clean inputs")
        return self.distance(subject, x) - self.threshold

    def distance(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the largest L1 distance of probabilities, in [0, 2], of inputs (N, C, H, W): (N,)."""
        if x.ndim != 4:
            raise InvalidData(f"squeezing takes images, got inputs of shape {tuple(x.shape[1:])}")
        bits = BitDepth(self.bits or (1 if x.shape[1] == 1 else 5))
        unit = converted(x, self.held, UNIT)
        own = subject.model.observe(x).probabilities
        squeezed = (bits(unit), median(unit, self.window))
        answers = (subject.model.observe(converted(one, UNIT, self.held)).probabilities for one in squeezed)
        return torch.stack([(own - answer).abs().sum(dim=1) for answer in answers]).amax(dim=0)


def median(x: Tensor, side: int) -> Tensor:
    """Return images (N, C, H, W) after a median filter; of an even number the upper middle, as scipy has it."""
    before = side // 2
    # Reflected at the edge itself, which torch does not offer: for the usual 2 x 2 it is the same as repeating it.
    padded = nnf.pad(x, (before, side - 1 - before, before, side - 1 - before), mode="replicate")
    windows = padded.unfold(2, side, 1).unfold(3, side, 1).flatten(4)
    return windows.sort(dim=-1).values[..., side * side // 2]
