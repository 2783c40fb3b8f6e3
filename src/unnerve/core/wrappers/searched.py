"""A model for searching: a quicker copy answers where logits and gradients are asked, the model itself all else."""

from torch import Tensor

from unnerve.core.model import Differentiable, Halving, Loss, Observation, Want
from unnerve.core.wrappers.wrapped import Wrapped

__all__ = ["Searched"]


class Searched(Wrapped):
    """A model as hunters see it, while the judge asks the model itself.

    Parameters
    ----------
    model : Differentiable
        It answers where neurons or dropout are asked for, and says what it is.
    quick : Differentiable
        Answers as the model does but for rounding.
    """

    def __init__(self, model: Differentiable, quick: Differentiable) -> None:
        super().__init__(model)
        self.quick = quick
        self._exact: Differentiable = model

    @property
    def halved(self) -> int | None:
        """The fewest inputs at a time of both, see :class:`unnerve.core.model.Halving`."""
        known = [one.halved for one in (self.model, self.quick) if isinstance(one, Halving)]
        return min((rows for rows in known if rows is not None), default=None)

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Run one forward pass, see :class:`unnerve.core.model.Classifier`."""
        return self._asked(want).observe(x, want)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss, see :class:`unnerve.core.model.Differentiable`."""
        return self._asked(want).gradient(x, loss, targets, want)

    def _asked(self, want: Want) -> Differentiable:
        # What the copy's layers return is not what the model's do.
        return self._exact if Want.NEURONS in want else self.quick
