"""Label smoothing as a defence (Szegedy et al., CVPR 2016; Warde-Farley and Goodfellow, 2016)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Classifier
from unnerve.mend.defences._copies import check_trainable, retrained
from unnerve.subjects.training.recipes import Recipe

__all__ = ["LabelSmoothing"]


@dataclass(frozen=True)
class LabelSmoothing:
    """A model of the same make, trained towards ``most`` for the right class and equal shares for the others.

    Parameters
    ----------
    most : float
        In ``(0, 1)``.
    epochs : int
        >= 1.
    rate : float
        Learning rate of Adam, > 0.
    seed : int
        Of the new weights.

    References
    ----------
    Warde-Farley and Goodfellow, "Adversarial Perturbations of Deep Neural Networks", 2016.
    """

    most: float = 0.9
    epochs: int = 10
    rate: float = 0.001
    seed: int = 0
    needs = Capability.GRADIENTS

    def __post_init__(self) -> None:
        if not 0 < self.most < 1:
            raise InvalidSetting(f"most must be in (0, 1), got {self.most}")
        self.recipe  # noqa: B018 - settings are checked where they belong

    @property
    def recipe(self) -> Recipe:
        """How it is trained."""
        return Recipe(self.epochs, rate=self.rate, seed=self.seed)

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless a copy of the model can be trained on labelled inputs."""
        check_trainable(model, "label_smoothing", data)

    def hardened(self, model: Classifier, training: Examples) -> Classifier:
        """Return a new model, trained on smoothed labels."""
        known = check_trainable(model, "label_smoothing", training)

        def loss(logits: Tensor, labels: Tensor, inputs: Tensor) -> Tensor:
            return torch.nn.functional.cross_entropy(logits, smoothed(labels, logits.shape[1], self.most))

        return retrained(known, training, self.recipe, loss, "label_smoothing")


def smoothed(labels: Tensor, classes: int, most: float) -> Tensor:
    """Return the distributions that labels, int64 (N,), become: (N, C)."""
    rest = (1 - most) / (classes - 1)
    return torch.full((len(labels), classes), rest).scatter_(1, labels.unsqueeze(1), most)
