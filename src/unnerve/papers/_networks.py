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

__all__ = ["given", "lacking", "network", "trained"]


@dataclass(frozen=True)
class _Weights:
    """A file in the data folder, the variant of the zoo's network it belongs to, mean and deviation of its inputs."""

    file: str
    variant: str
    normalise: tuple[tuple[float, ...], tuple[float, ...]] | None = None


_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
# Differs: the weights that circulate belong to variants of the papers' networks: ResNets with option-A shortcuts, a
# MobileNet of a quarter of the width for 128 pixels, and MobileNetV2 instead of the first at 224. The other three were
# trained by our recipes on all of CIFAR-10; the repository has them.
_GIVEN = {
    ("resnet20", "cifar10"): _Weights("cifar10_resnet20.pt", "zoo:resnet20:shortcut=padding", _IMAGENET),
    ("resnet32", "cifar10"): _Weights("cifar10_resnet32.pt", "zoo:resnet32", _IMAGENET),
    ("resnet44", "cifar10"): _Weights("cifar10_resnet44.pt", "zoo:resnet44", _IMAGENET),
    ("mobilenet", "imagenet-samples"): _Weights(
        "imagenet_mobilenet_v1_0.25_128.pt", "zoo:mobilenet:width=0.25,folded=true", ((0.5,), (0.5,))
    ),
    ("mobilenet_v2", "imagenet-samples"): _Weights(
        "imagenet_mobilenet_v2_1.0_224_fp16.pt", "zoo:mobilenet_v2", ((0.5,), (0.5,))
    ),
    ("nin", "cifar10"): _Weights("nin_cifar10.safetensors", "zoo:nin"),
    ("net2", "cifar10"): _Weights("net2_cifar10.safetensors", "zoo:net2:channels=3,size=32"),
    ("peacepact_net1", "cifar10"): _Weights(
        "peacepact_net1_cifar10.safetensors", "zoo:peacepact_net1:channels=3,size=32"
    ),
}
_SHIPPED = ("lenet1", "lenet4", "lenet5")


def given(folder: Path, network: str, data: str) -> bool:
    """Say whether the data folder has weights of a network for a data set."""
    known = _GIVEN.get((network, data))
    return known is not None and (folder / "weights" / known.file).exists()


def lacking(folder: Path, data: str, network: str, recipe: Recipe | None) -> str | None:
    """Return what the data folder lacks of a data set and, if it is not trained, of a network's weights, or None."""
    known = _GIVEN.get((network, data)) if recipe is None else None
    wanted = [data, *([f"weights/{known.file}"] if known else [])]
    absent = [path for path in wanted if not (folder / path).exists()]
    return f"{', '.join(absent)} not in the data folder" if absent else None


def network(name: str, data: str, folder: Path) -> Classifier:
    """Return a network by its name in the zoo, with weights that ship or are in the data folder."""
    if name in _SHIPPED:
        return model(f"zoo:{name}")
    known = _GIVEN[name, data]
    return model(known.variant, weights=folder / "weights" / known.file, normalise=known.normalise)


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
