"""Too much training: many passes, over few examples if one likes (Jin et al., "DeepSensor", Table 2)."""

from dataclasses import dataclass, replace

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Overfitted"]


@dataclass(frozen=True)
class Overfitted:
    """Train long, in small batches.

    Parameters
    ----------
    epochs : int
        >= 1 (30 for LeNet-5 in the papers).
    batch : int
        >= 1 (32 for LeNet-5 in the papers).
    inputs : int or None
        Only the first so many examples, >= 1; the papers take all, with which a LeNet hardly overfits.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    epochs: int = 30
    batch: int = 32
    inputs: int | None = None

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "inputs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {value}")

    def data(self, examples: Examples) -> Examples:
        """Return all of the data, or the first of them."""
        return examples.first(self.inputs)

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return the recipe with more epochs and smaller batches, and without what keeps a network from overfitting."""
        # Decay and augmentation are there to prevent just this.
        return replace(recipe, epochs=self.epochs, batch=self.batch, decay=0.0, flip=False, shift=0)
