"""A model around a model: forwards what the inner one offers, so that a wrapper overrides only what it changes."""

from typing import cast

from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import (
    Capability,
    Classifier,
    Differentiable,
    DifferentiableDraws,
    Halving,
    Hindered,
    Instrumented,
    Loss,
    Observation,
    ObservedDraws,
    Stochastic,
    Want,
    Weighted,
    require,
)
from unnerve.core.neurons import NeuronMap

__all__ = ["Wrapped"]


class Wrapped:
    """What metering, input transforms and other units have in common; it offers what the inner model offers.

    A pass that the inner model cannot run raises :class:`~unnerve.core.errors.InvalidModel` with the remedy.

    Parameters
    ----------
    model : Classifier
        The inner model.
    """

    def __init__(self, model: Classifier) -> None:
        self.model = model

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    @property
    def name(self) -> str:
        """The inner model's name."""
        return self.model.name

    @property
    def offers(self) -> Capability:
        """What the inner model offers."""
        return self.model.offers

    @property
    def halved(self) -> int | None:
        """What the inner model tells of it, see :class:`unnerve.core.model.Halving`."""
        return self.model.halved if isinstance(self.model, Halving) else None

    def remedy(self, missing: Capability) -> str:
        """Return what the inner model says of what is missing, see :class:`unnerve.core.model.Hindered`."""
        return self.model.remedy(missing) if isinstance(self.model, Hindered) else ""

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return the inner model's identity."""
        return self.model.identity(shape)

    def shown(self, x: Tensor) -> Tensor:
        """Return what the inner model sees of inputs (N, ...): the inputs themselves, unless a wrapper changes them."""
        return x

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Run one forward pass, see :class:`unnerve.core.model.Classifier`."""
        return self.model.observe(self.shown(x), want)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss, see :class:`unnerve.core.model.Differentiable`."""
        require(self.model, Capability.GRADIENTS, "a gradient")
        # The flags were compared; whether every method of the protocol is there takes a hundredth of a small pass.
        return cast(Differentiable, self.model).gradient(self.shown(x), loss, targets, want)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Answer under dropout masks, see :class:`unnerve.core.model.Stochastic`."""
        require(self.model, Capability.DROPOUT, "a dropout draw")
        assert isinstance(self.model, Stochastic)
        return self.model.samples(self.shown(x), masks)

    def observed_samples(self, x: Tensor, masks: Masks) -> tuple[Observation, Tensor]:
        """Answer without dropout and under masks, see :class:`unnerve.core.model.ObservedDraws`."""
        require(self.model, Capability.DROPOUT, "a dropout draw")
        assert isinstance(self.model, Stochastic)
        shown = self.shown(x)
        if isinstance(self.model, ObservedDraws):
            return self.model.observed_samples(shown, masks)
        return self.model.observe(shown), self.model.samples(shown, masks)

    def drawn_gradient(
        self, x: Tensor, masks: Masks, loss: Loss, targets: Tensor
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss under dropout, see :class:`unnerve.core.model.DifferentiableDraws`."""
        # Of the wrapper, not of the inner model: one behind a transform offers draws, and no gradients.
        require(self, Capability.GRADIENTS | Capability.DROPOUT, "a gradient under dropout")
        assert isinstance(self.model, DifferentiableDraws)
        return self.model.drawn_gradient(self.shown(x), masks, loss, targets)

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the neurons, see :class:`unnerve.core.model.Instrumented`."""
        return self._instrumented().neuron_map(self.shown(x))

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Compare layers with those of clean inputs, see :class:`unnerve.core.model.Instrumented`."""
        return self._instrumented().layer_moves(self.shown(x), self.shown(clean), owners)

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Answer with masked neurons, see :class:`unnerve.core.model.Instrumented`."""
        return self._instrumented().silenced(self.shown(x), masks)

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Differentiate a loss by masks of neurons, see :class:`unnerve.core.model.Instrumented`."""
        return self._instrumented().mask_gradient(self.shown(x), masks, loss, targets)

    def incoming_weights(self, x: Tensor) -> Tensor:
        """Return the neurons' mean incoming weights, see :class:`unnerve.core.model.Weighted`."""
        if not isinstance(self.model, Weighted):
            raise InvalidModel(f"{self.name} does not tell its weights; give an nn.Module")
        return self.model.incoming_weights(self.shown(x))

    def _instrumented(self) -> Instrumented:
        require(self.model, Capability.NEURONS, "looking at neurons")
        assert isinstance(self.model, Instrumented)
        return self.model
