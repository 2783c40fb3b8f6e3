"""Networks that a reproduction trains itself: made once, kept beside its results."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from unnerve.core.examples import Examples
from unnerve.studies.train import train_model
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import recipe_of

__all__ = ["trained"]


def trained(network: str, recipe: Recipe, training: Callable[[], Examples], folder: Path) -> Path:
    """Return weights of a zoo network by this recipe, from the folder or made now.

    Parameters
    ----------
    network : str
    recipe : Recipe
    training : callable
        Returns the training data, if it is needed.
    folder : Path
    """
    path = folder / f"{network}-{recipe.seed}.safetensors"
    if not path.exists() or recipe_of(path).get("recipe") != asdict(recipe):
        train_model(network, training(), recipe=recipe, out=path)
    return path
