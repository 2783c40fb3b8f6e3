"""A model behind an input transform: ``zoo:lenet5|jpeg:75``."""

import hashlib
from collections.abc import Callable

from torch import Tensor

from unnerve.core.data.conversion import converted
from unnerve.core.data.ranges import UNIT, Ranged, ValueRange
from unnerve.core.errors import InvalidModel
from unnerve.core.model import Capability, Classifier, Loss, Observation, Want
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
        """Return the same model for data of this range, see :class:`unnerve.core.data.ranges.Ranged`."""
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
        # Neurons and dropout stay: they are taken from what the inner model sees, which is the transformed input.
        return self.model.offers & ~Capability.GRADIENTS

    def remedy(self, missing: Capability) -> str:
        """Name the transform where it alone is the reason, see :class:`unnerve.core.model.Hindered`."""
        if Capability.GRADIENTS not in missing & self.model.offers:
            return super().remedy(missing)
        return f"no gradient goes through {self.text}: choose a black-box method, or leave {self.text} out"

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash of the inner model's identity and the transform."""
        return hashlib.blake2b(f"{self.model.identity(shape)}|{self.text}".encode(), digest_size=16).hexdigest()

    def shown(self, x: Tensor) -> Tensor:
        """Return the transformed inputs."""
        return converted(self.transform(converted(x, self.held, UNIT)), UNIT, self.held)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Refuse: there is no gradient through the transform."""
        raise InvalidModel(f"there is no gradient through {self.text}: {self.name} is a black box to attacks")
