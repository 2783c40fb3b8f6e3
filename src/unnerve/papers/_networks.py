"""The networks of the papers' experiments: shipped, taken from the data folder, or trained once and kept."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.studies.train import train_model
from unnerve.subjects.models import model
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import recipe_of

__all__ = ["lacking", "network", "trained"]


@dataclass(frozen=True)
class _Weights:
    """A file in the data folder, the variant of the zoo's network it belongs to, mean and deviation of its inputs."""

    file: str
    variant: str
    normalise: tuple[tuple[float, ...], tuple[float, ...]]


# Differs: these weights circulate, but belong to variants of the papers' networks: a ResNet-20 with option-A shortcuts,
# and a MobileNet of a quarter of the width, for 128 pixels.
_GIVEN = {
    "resnet20": _Weights(
        "weights/cifar10_resnet20.pt",
        "zoo:resnet20:shortcut=padding",
        ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ),
    "mobilenet": _Weights(
        "weights/imagenet_mobilenet_v1_0.25_128.pt",
        "zoo:mobilenet:width=0.25,folded=true",
        ((0.5,), (0.5,)),
    ),
}


def lacking(data: Path, name: str, network: str) -> str | None:
    """Return what the data folder lacks of a data set and of a network's weights, or None."""
    wanted = [name, *([_GIVEN[network].file] if network in _GIVEN else [])]
    absent = [path for path in wanted if not (data / path).exists()]
    return f"{', '.join(absent)} not in the data folder" if absent else None


def network(name: str, recipe: Recipe | None, data: Path, folder: Path, training: Callable[[], Examples]) -> Classifier:
    """Return a network by its name in the zoo: trained by the recipe if there is one, else with weights at hand."""
    if recipe is not None:
        return model(f"zoo:{name}", weights=trained(name, recipe, training, folder))
    if name not in _GIVEN:
        return model(f"zoo:{name}")
    given = _GIVEN[name]
    return model(given.variant, weights=data / given.file, normalise=given.normalise)


def trained(name: str, recipe: Recipe, training: Callable[[], Examples], folder: Path) -> Path:
    """Return weights of a zoo network by this recipe, from the folder or made now.

    Parameters
    ----------
    name : str
    recipe : Recipe
    training : callable
        Returns the training data, if it is needed.
    folder : Path
    """
    path = folder / f"{name}-{recipe.seed}.safetensors"
    if not path.exists() or recipe_of(path).get("recipe") != asdict(recipe):
        train_model(name, training(), recipe=recipe, out=path)
    return path
