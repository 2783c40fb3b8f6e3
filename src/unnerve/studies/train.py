"""Make a model: a network of the zoo, data, a recipe; weights with their history as the result."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

import unnerve
from unnerve.core.catalogue import bound
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.examples import Examples
from unnerve.core.files import check_writable
from unnerve.core.specification import specification
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.training.loop import Epoch, initialised, train
from unnerve.subjects.training.recipes import Recipe, recipe_for
from unnerve.subjects.weights import save_weights

__all__ = ["Training", "accuracy", "train_model", "without"]


@dataclass(frozen=True, eq=False)
class Training:
    """A trained model and how it came about.

    Parameters
    ----------
    module : nn.Module
        In eval mode.
    history : dict
        Network, data, recipe, versions, epochs and accuracies; stored beside the weights.
    """

    module: nn.Module
    history: dict[str, Any]


def train_model(
    network: str,
    data: Examples,
    *,
    test: Examples | None = None,
    recipe: Recipe | None = None,
    out: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    after_epoch: Callable[[Epoch], None] | None = None,
) -> Training:
    """Train a network of the zoo.

    Parameters
    ----------
    network : str
        ``NAME`` or ``NAME:settings`` of a zoo model; channels, size and classes are taken from the data.
    data, test : Examples
        With labels; ``test`` is only measured.
    recipe : Recipe, optional
        The network's usual one if None.
    out : Path, optional
        Where the weights go (safetensors).

    Returns
    -------
    Training
    """
    if data.labels is None:
        raise InvalidData(f"{data.name}: training needs labels")
    if out is not None:
        if out.suffix != ".safetensors":
            raise OutputRefused(f"weights are written as .safetensors, got '{out}'")
        check_writable(out)
    name = specification(network).name
    recipe = recipe or recipe_for(name, data.shape)
    classes = len(data.classes) or int(data.labels.max()) + 1
    more = {"channels": data.shape[0], "size": data.shape[-1], "classes": classes}
    module = initialised(bound("zoo model", network, **more), recipe.seed)
    _check_fit(module, data, network)
    start = time.perf_counter()
    epochs = train(module, data, recipe, progress, after_epoch)
    history: dict[str, Any] = {
        "network": network,
        "data": {"name": data.name, "count": len(data), "hash": data.fingerprint},
        "recipe": asdict(recipe),
        "versions": {"unnerve": unnerve.__version__, "torch": str(torch.__version__)},
        "train_accuracy": epochs[-1].accuracy,
        "train_loss": epochs[-1].loss,
        "test": None if test is None else {"name": test.name, "count": len(test), "accuracy": accuracy(module, test)},
    }
    if out is not None:
        save_weights(module, out, history)
    return Training(module, history | {"seconds": time.perf_counter() - start})


def accuracy(module: nn.Module, data: Examples) -> float:
    """Return the share of labelled examples that a module classifies correctly."""
    if data.labels is None:
        raise InvalidData(f"{data.name}: accuracy needs labels")
    model, right = TorchModule(module, outputs="logits"), 0  # whichever they are, the largest is the answer
    for batch in data.batches():
        right += int(torch.eq(model.observe(batch.inputs).predicted, torch.as_tensor(batch.labels)).sum())
    return right / len(data)


def without(data: Examples, other: Examples) -> Examples:
    """Return the examples whose inputs do not occur in ``other``, compared value by value."""
    if data.shape != other.shape:
        raise InvalidSetting(f"cannot leave out {other.name}: its inputs have shape {other.shape}, not {data.shape}")
    known = {digest for batch in other.batches() for digest in _digests(batch.inputs)}
    digests = (digest for batch in data.batches() for digest in _digests(batch.inputs))
    kept = [row for row, digest in enumerate(digests) if digest not in known]
    return replace(data.take(kept), name=f"{data.name} without {other.name}")


def _digests(inputs: torch.Tensor) -> list[bytes]:
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in inputs.numpy()]


def _check_fit(module: nn.Module, data: Examples, network: str) -> None:
    model = TorchModule(module, f"zoo:{network}", outputs="logits")
    logits = model.observe(data.batch(range(1)).inputs).logits
    classes = 0 if data.labels is None else int(data.labels.max()) + 1
    if logits.shape[1] < classes:
        raise InvalidSetting(f"{network} has {logits.shape[1]} classes, but {data.name} has labels up to {classes - 1}")
