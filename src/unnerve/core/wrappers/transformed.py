"""A model behind an input transform: ``zoo:lenet5|jpeg:75``."""

import hashlib
from collections.abc import Callable

from torch import Tensor

from unnerve.core.conversion import converted
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Classifier, Loss, Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.ranges import UNIT, Ranged, ValueRange
from unnerve.core.wrappers.wrapped import Wrapped

__all__ = ["Transform", "Transformed"]

Transform = Callable[[Tensor], Tensor]
"""(N, ...) -> (N, ...), row by row: a row's result depends on that row alone."""


class Transformed(Wrapped):
    """A model that sees every input through a transform.

    It offers what the inner model offers, but no gradients: a transform such as JPEG has none.

    Parameters
    ----------
    model : Classifier
    transform : Transform
    text : str
        The transform as on the command line; shown in reports and part of the identity.
    held : (float, float)
        The range of the values that it takes. The transform itself knows values in [0, 1] only.
    """

    def __init__(self, model: Classifier, transform: Transform, text: str, held: ValueRange = UNIT) -> None:
        super().__init__(model)
        self.transform = transform
        self.text = text
        self.held = held

    @property
    def expects(self) -> ValueRange | None:
        """What the inner model expects."""
        return self.model.expects if isinstance(self.model, Ranged) else None

    def taking(self, held: ValueRange) -> "Transformed":
        """Return the same model for data that hold values of this range, see :class:`unnerve.core.ranges.Ranged`."""
        within = self.model.taking(held) if isinstance(self.model, Ranged) else self.model
        unchanged = within is self.model and held == self.held
        return self if unchanged else Transformed(within, self.transform, self.text, held)

    @property
    def name(self) -> str:
        """The inner model's name and the transform: ``zoo:lenet5|jpeg:75``."""
        return f"{self.model.name}|{self.text}"

    @property
    def offers(self) -> Capability:
        """What the inner model offers, without gradients."""
        return self.model.offers & ~Capability.GRADIENTS

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash of the inner model's identity and the transform."""
        return hashlib.blake2b(f"{self.model.identity(shape)}|{self.text}".encode(), digest_size=16).hexdigest()

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Transform, then run the pass."""
        return super().observe(self._seen(x), want)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Refuse: there is no gradient through the transform."""
        raise InvalidModel(f"there is no gradient through {self.text}: {self.name} is a black box to attacks")

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Transform, then answer under dropout masks."""
        return super().samples(self._seen(x), masks)

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the inner model's neurons for inputs like the transformed ones."""
        return super().neuron_map(self._seen(x))

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Transform both, then compare layers."""
        return super().layer_moves(self.transform(x), self.transform(clean), owners)

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Transform, then answer with masked neurons."""
        return super().silenced(self._seen(x), masks)

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Transform, then differentiate a loss by masks of neurons."""
        return super().mask_gradient(self._seen(x), masks, loss, targets)

    def _seen(self, x: Tensor) -> Tensor:
        return converted(self.transform(converted(x, self.held, UNIT)), UNIT, self.held)
