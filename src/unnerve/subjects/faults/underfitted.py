"""Too little training: few steps, in large batches (Jin et al., "DeepSensor", Table 2)."""

from dataclasses import dataclass, replace

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Underfitted"]


@dataclass(frozen=True)
class Underfitted:
    """Stop training early.

    Parameters
    ----------
    epochs : int
        >= 1 (1 for LeNet-5 in the papers).
    batch : int
        >= 1 (512 for LeNet-5 in the papers).

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    epochs: int = 1
    batch: int = 512

    def __post_init__(self) -> None:
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")

    def data(self, examples: Examples) -> Examples:
        """Return the data as they are."""
        return examples

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return the recipe with fewer epochs and larger batches."""
        return replace(recipe, epochs=self.epochs, batch=self.batch)
