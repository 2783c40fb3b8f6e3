"""Gradients through or around an input transform (Athalye et al., ICML 2018)."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from unnerve.core.data.conversion import converted
from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidModel
from unnerve.core.model import Capability, Differentiable, Loss, Observation, Want
from unnerve.core.wrappers.transformed import Transformed

__all__ = ["Through"]


class Through(Transformed):
    """A model behind a transform, with gradients for attacks that know the transform.

    A transform that autograd goes through (it says ``smooth``) is differentiated; any other is taken for the identity
    on the way back ("straight through", or backward pass differentiable approximation). Of a transform that draws
    (it has ``draw``), the gradients of several draws are averaged (expectation over transformations).

    Parameters
    ----------
    behind : Transformed
    draws : int
        Draws that are averaged, >= 1.
    """

    def __init__(self, behind: Transformed, draws: int = 8) -> None:
        if Capability.GRADIENTS not in behind.model.offers:
            raise InvalidModel(
                f"attacks that know {behind.text} need gradients, which {behind.model.name} does not offer"
            )
        super().__init__(behind.model, behind.transform, behind.text, behind.held)
        self.draws = draws

    @property
    def offers(self) -> Capability:
        """What the inner model offers, gradients among it."""
        return self.model.offers

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss, see :class:`unnerve.core.model.Differentiable`; the values are those of one draw."""
        transforms: list[Any] = [self.transform]
        if hasattr(self.transform, "draw"):
            # Not the draw that answers: an attacker cannot know it, since it depends on the bytes of the result.
            transforms = [replace(transforms[0], draw=transforms[0].draw + 1 + one) for one in range(self.draws)]
        found = [self._through(transform, x, loss, targets, want) for transform in transforms]
        return found[0][0], torch.stack([one[1] for one in found]).mean(dim=0), found[0][2]

    def _through(
        self, transform: Any, x: Tensor, loss: Loss, targets: Tensor, want: Want
    ) -> tuple[Tensor, Tensor, Observation]:
        assert isinstance(self.model, Differentiable)
        with torch.enable_grad():
            leaf = x.detach().clone().requires_grad_(True)
            shown = converted(transform(converted(leaf, self.held, UNIT)), UNIT, self.held)
        # In two steps: a model gives gradients by its input and no graph, so the transform's part is put in front of
        # them.
        values, gradient, seen = self.model.gradient(shown.detach(), loss, targets, want)
        if getattr(transform, "smooth", False):
            (gradient,) = torch.autograd.grad(shown, leaf, gradient)
        return values, gradient, seen
