"""Inputs brought to the mean and standard deviation that a model was trained with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.data.conversion import conversion
from unnerve.core.data.ranges import UNIT, ValueRange, range_text
from unnerve.core.errors import InvalidSetting

__all__ = ["Normalised", "NormalisedFunction", "check_stated"]


class Normalised(nn.Module):
    """A module that first brings its input to the mean and standard deviation it was trained with.

    Parameters
    ----------
    module : nn.Module
    mean, std : sequence of float
        One value, or one per channel.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, module: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        _check(mean, std)
        self.module = module
        self.training = module.training
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))

    @classmethod
    def between(cls, module: nn.Module, held: ValueRange, expected: ValueRange) -> "Normalised":
        """Return a module that takes values of one range, and gives them to another one in the range it expects."""
        offset, factor = conversion(held, expected)
        made, weights = cls(module, [offset], [factor]), next(module.parameters(), None)
        if weights is not None:
            made.mean, made.std = made.mean.to(weights.device), made.std.to(weights.device)
        return made

    @property
    def neurons_inside(self) -> nn.Module:
        """The module itself: normalising changes neither which neurons count nor what their layers are called."""
        return self.module

    def forward(self, x: Tensor) -> object:
        """Run the module on the normalised input; channels are the axis after the first."""
        shape = _broadcast(len(self.mean), tuple(x.shape))
        return self.module((x - self.mean.view(shape)) / self.std.view(shape))


@dataclass(frozen=True)
class NormalisedFunction:
    """A function from arrays to answers behind the same step.

    Parameters
    ----------
    function : callable
    mean, std : sequence of float
        One value, or one per channel.
    """

    function: Callable[..., object]
    mean: Sequence[float]
    std: Sequence[float]

    def __post_init__(self) -> None:
        _check(self.mean, self.std)

    def __call__(self, x: np.ndarray) -> object:
        """Run the function on the normalised input, float32."""
        shape = _broadcast(len(self.mean), x.shape)
        mean, std = (np.asarray(one, dtype=np.float32).reshape(shape) for one in (self.mean, self.std))
        return self.function((x - mean) / std)


def check_stated(thing: object, held: ValueRange) -> None:
    """Raise if means and deviations are of values whose range nobody stated, and the data do not lie in [0, 1]."""
    if held != UNIT and isinstance(thing, Normalised | NormalisedFunction):
        raise InvalidSetting(
            f"the data hold values in {range_text(held)}: say with --model-range which values the means of --normalise "
            f"are of, 0,1 or {held[0]:g},{held[1]:g}"
        )


def _check(mean: Sequence[float], std: Sequence[float]) -> None:
    # As the model will see them: 1e-50 is zero in single precision, and 1e50 infinite.
    means, deviations = torch.tensor([*mean], dtype=torch.float32), torch.tensor([*std], dtype=torch.float32)
    finite = bool(means.isfinite().all() and deviations.isfinite().all())
    if len(mean) != len(std) or not finite or not bool((deviations > 0).all()):
        raise InvalidSetting(
            f"--normalise must give as many means as positive deviations, all finite, got {mean} and {std}"
        )


def _broadcast(values: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape in which so many values meet the channels of inputs, the axis after the first."""
    channels = shape[1] if len(shape) > 1 else 1
    if values not in (1, channels):
        raise InvalidSetting(
            f"--normalise must give 1 mean, or one for each of the {channels} channels, got {values} means"
        )
    return (-1, *[1] * (len(shape) - 2))
