"""A model that is asked in other units than those of its data."""

from typing import Protocol

from torch import Tensor

from unnerve.core.masks import Masks
from unnerve.core.model import Classifier, Loss, Observation, Want
from unnerve.core.wrappers.wrapped import Wrapped

__all__ = ["Measured", "Units"]


class Units(Protocol):
    """How values of the data are measured."""

    @property
    def lengths(self) -> Tensor:
        """How long a unit is for each value, in the data's own, (...)."""
        ...

    def measured(self, x: Tensor) -> Tensor:
        """Return inputs of the data, (N, ...), in these units."""
        ...

    def unmeasured(self, x: Tensor) -> Tensor:
        """Return inputs in these units, (N, ...), as the data holds them."""
        ...


class Measured(Wrapped):
    """A model whose inputs are given in some units, and whose gradients are by them.

    Parameters
    ----------
    model : Classifier
        It takes inputs as the data holds them.
    units : Units
    """

    def __init__(self, model: Classifier, units: Units) -> None:
        super().__init__(model)
        self.units = units

    def shown(self, x: Tensor) -> Tensor:
        """Return the inputs as the data holds them."""
        return self.units.unmeasured(x)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss by inputs in these units."""
        values, gradient, seen = super().gradient(x, loss, targets, want)
        return values, gradient * self.units.lengths, seen

    def drawn_gradient(
        self, x: Tensor, masks: Masks, loss: Loss, targets: Tensor
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss under dropout by inputs in these units."""
        values, gradient, seen = super().drawn_gradient(x, masks, loss, targets)
        return values, gradient * self.units.lengths, seen
