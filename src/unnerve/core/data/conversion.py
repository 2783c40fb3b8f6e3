"""Values brought from one range to another."""

from typing import Protocol

import torch
from torch import Tensor

from unnerve.core.data.ranges import UNIT, ValueRange

__all__ = ["conversion", "converted", "perturbed"]


class _Applied(Protocol):
    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor: ...


def conversion(held: ValueRange, wanted: ValueRange) -> tuple[float, float]:
    """Return (m, s) with which (v - m) / s brings values of one range to another."""
    factor = (held[1] - held[0]) / (wanted[1] - wanted[0])
    return held[0] - wanted[0] * factor, factor


def converted(x: Tensor, held: ValueRange, wanted: ValueRange) -> Tensor:
    """Bring values of one range to another; the ends of the one are the ends of the other."""
    if held == wanted:
        return x
    wide, narrow = held[1] - held[0], wanted[1] - wanted[0]
    # By the number that is no fraction for the usual ranges: 3 of 255 is 3 / 255, to the last bit.
    shares = (x - held[0]).div_(wide / narrow) if wide > narrow else (x - held[0]).mul_(narrow / wide)
    # In place, since the difference is new memory already; rounding may lead past the end of the range, hence the
    # clamp.
    return shares.add_(wanted[0]).clamp_(*wanted)


def perturbed(perturbation: _Applied, inputs: Tensor, parameters: Tensor, held: ValueRange) -> Tensor:
    """Change inputs (N, ...) that lie in a range, by parameters (N, M, K): (N, M, ...).

    Perturbations know values in [0, 1] only; what they leave alone keeps its very bits.
    """
    if held == UNIT:
        return perturbation.apply(inputs, parameters)
    shares = converted(inputs, held, UNIT)
    made = perturbation.apply(shares, parameters)
    # There and back again would move untouched pixels by a rounding error, and every one of them would count as
    # changed.
    return torch.where(made == shares.unsqueeze(1), inputs.unsqueeze(1), converted(made, UNIT, held))
