"""What a fault of training is: it changes the data, or how a network is trained on them."""

from typing import Protocol

from unnerve.core.data.examples import Examples
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Fault"]


class Fault(Protocol):
    """A fault of training."""

    def data(self, examples: Examples) -> Examples:
        """Return the data that is trained on instead; nothing is copied."""
        ...

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return the recipe that is followed instead."""
        ...
