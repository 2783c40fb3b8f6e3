"""Defensive distillation (Papernot et al., S&P 2016)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Classifier
from unnerve.mend.defences._copies import check_trainable, retrained
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Distillation"]


@dataclass(frozen=True)
class Distillation:
    r"""A model of the same make, trained towards what the model itself answers at a temperature.

    .. math:: -\sum_c \mathrm{softmax}(z / T)_c \log \mathrm{softmax}(s / T)_c

    The new model answers at temperature 1, which makes it surer, and its gradients smaller.

    Parameters
    ----------
    temperature : float
        T, > 0: 20 for MNIST as published; 1 distils without one.
    epochs : int
        >= 1.
    rate : float
        Learning rate of Adam, > 0.
    seed : int
        Of the new weights.

    References
    ----------
    Papernot et al., "Distillation as a Defense to Adversarial Perturbations Against Deep Neural Networks", 2016.
    """

    # Differs: as published, the teacher is trained at the temperature too; here it is the model that is defended.
    temperature: float = 20.0
    epochs: int = 10
    rate: float = 0.001
    seed: int = 0
    needs = Capability.GRADIENTS

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise InvalidSetting(f"temperature must be > 0, got {self.temperature}")
        self.recipe  # noqa: B018 - settings are checked where they belong

    @property
    def recipe(self) -> Recipe:
        """How it is trained."""
        return Recipe(self.epochs, rate=self.rate, seed=self.seed)

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless a copy of the model can be trained on labelled inputs."""
        check_trainable(model, "distillation", data)

    def hardened(self, model: Classifier, training: Examples) -> Classifier:
        """Return a new model, trained on the model's own answers; labels are not looked at."""
        known = check_trainable(model, "distillation", training)

        def loss(logits: Tensor, labels: Tensor, inputs: Tensor) -> Tensor:
            taught = known.observe(inputs.detach()).logits
            return self.loss(logits, taught)

        return retrained(known, training, self.recipe, loss, "distillation")

    def loss(self, logits: Tensor, taught: Tensor) -> Tensor:
        """Return the mean cross-entropy of logits with those of the teacher, each (N, C), at the temperature."""
        soft = (taught / self.temperature).softmax(dim=1)
        # Gradients shrink with the square of the temperature; scaled back, the rate means the same at every one.
        return torch.nn.functional.cross_entropy(logits / self.temperature, soft) * self.temperature**2
