"""Make a model: a network of the zoo, data, a recipe; weights with their history as the result."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from torch import nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.naming.catalogue import bound, build
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import specification
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.results import Result
from unnerve.core.storage.files import check_writable
from unnerve.subjects.adapters.normalised import Normalised
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples, further_data
from unnerve.subjects.faults._fault import Fault
from unnerve.subjects.input_facts import facts_of
from unnerve.subjects.opening import DataOptions
from unnerve.subjects.training.checkpoint import Checkpoint
from unnerve.subjects.training.loop import Epoch, initialised
from unnerve.subjects.training.loop import train as train_module
from unnerve.subjects.training.recipes import Recipe, recipe_for
from unnerve.subjects.training.settings import TrainSettings
from unnerve.subjects.weights import save_weights

__all__ = ["Training", "accuracy", "train", "train_model", "without"]


@dataclass(frozen=True, eq=False, repr=False)
class Training(Result):
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

    def table(self) -> pa.Table:
        """Return one row: the accuracies and the loss."""
        test = self.history["test"]
        figures = {"train_accuracy": self.history["train_accuracy"], "train_loss": self.history["train_loss"]}
        return pa.Table.from_pylist([figures | {"test_accuracy": None if test is None else test["accuracy"]}])

    def summary(self) -> dict[str, Any]:
        """Return how it came about, as JSON."""
        return self.history

    def headline(self) -> str:
        """Return the accuracies, in one line."""
        test = self.history["test"]
        measured = "" if test is None else f", test accuracy {test['accuracy']:.4f}"
        return f"{self.history['network']}: training accuracy {self.history['train_accuracy']:.4f}{measured}"


@flat()
def train(
    network: str,
    data: Any,
    out: str | Path | None = None,
    *,
    recipe: Recipe | None = None,
    settings: TrainSettings,
    options: DataOptions,
    progress: ShowProgress = None,
) -> Training:
    """Train a network of the zoo.

    Parameters
    ----------
    network : str
        ``NAME`` or ``NAME:settings`` of a zoo model; channels, size and classes are taken from the data.
    data : anything that ``unnerve.examples`` takes
        With labels.
    out : path, optional
        Where the weights go (safetensors), with the recipe that made them.
    recipe : Recipe, optional
        The network's usual one if None.
    settings : TrainSettings
        Its fields are given as keywords: ``test="mnist5k"``, ``fault="polluted:alpha=0.2,class=3"``, ``resume=True``.
    options : DataOptions
        How the data is opened; its fields are given as keywords: ``split="train"``, ``limit=1000``.
    progress : bool or callable (steps done, steps in all), optional
        True shows a bar.

    Returns
    -------
    Training

    Examples
    --------
    >>> import unnerve
    >>> from unnerve.subjects.training.recipes import Recipe
    >>> unnerve.train("lenet1", "mnist5k", recipe=Recipe(epochs=1)).history["train_accuracy"]
    """
    name = network.removeprefix("zoo:")
    source = examples(data, options=options)
    if settings.exclude is not None:
        source = without(source, further_data(settings.exclude, source))
    if settings.fault is not None:
        fault: Fault = build("fault", settings.fault)
        source = fault.data(source)
        recipe = fault.recipe(recipe or recipe_for(specification(name).name, source.shape))
    test = None if settings.test is None else further_data(settings.test, source, "test")
    place = None if out is None else Path(out)
    with steps_shown(progress, f"training {name}", "steps") as on_steps:
        return train_model(name, source, test=test, recipe=recipe, out=place, progress=on_steps, resume=settings.resume)


def train_model(
    network: str,
    data: Examples,
    *,
    test: Examples | None = None,
    recipe: Recipe | None = None,
    out: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    after_epoch: Callable[[Epoch], None] | None = None,
    resume: bool = False,
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
    resume : bool
        Keep the state after each epoch in a file beside ``out``, and go on from it if it is there.

    Returns
    -------
    Training
    """
    if data.labels is None:
        raise InvalidData(f"{data.name}: training needs labels")
    _check_out(out, resume)
    ready = _prepared(network, data, recipe)
    test = None if test is None else test.brought_to(ready.data.value_range)
    start = time.perf_counter()
    run = {
        "network": network,
        "data": {"name": data.name, "count": len(data), "hash": ready.data.fingerprint},
        "recipe": asdict(ready.recipe),
    }
    kept = Checkpoint(out.with_suffix(".checkpoint"), run) if resume and out is not None else None
    epochs = train_module(ready.whole, ready.data, ready.recipe, progress, after_epoch, kept)
    half = ready.recipe.stored == "float16"
    if half:
        ready.module.half().float()  # before accuracy is measured: what is stored is what was tested
    tested = None if test is None else {"name": test.name, "count": len(test), "accuracy": accuracy(ready.whole, test)}
    history: dict[str, Any] = {
        **run,
        "versions": {"unnerve": unnerve.__version__, "torch": str(torch.__version__)},
        "train_accuracy": epochs[-1].accuracy,
        "train_loss": epochs[-1].loss,
        "test": tested,
    }
    if out is not None:
        save_weights(ready.module, out, history, half=half)
    # Last: a run that is killed while the weights are written can still go on from the state after its last epoch.
    if kept is not None:
        kept.path.unlink(missing_ok=True)
    return Training(ready.module, history | {"seconds": time.perf_counter() - start})


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A network that is ready to be trained.

    Parameters
    ----------
    module : nn.Module
        What is stored.
    whole : nn.Module
        What is trained: the same, behind its normalisation.
    data : Examples
        In the network's range.
    recipe : Recipe
    """

    module: nn.Module
    whole: nn.Module
    data: Examples
    recipe: Recipe


def _prepared(network: str, data: Examples, recipe: Recipe | None) -> _Prepared:
    name = specification(network).name
    recipe = recipe or recipe_for(name, data.shape)
    assert data.labels is not None
    classes = len(data.classes) or int(data.labels.max()) + 1
    more = {"channels": data.shape[0], "size": data.shape[-1], "classes": classes}
    # Not built before: torch draws the first weights while a network is made, and the recipe's random seed decides
    # them.
    module = initialised(bound("zoo model", network, **more), recipe.seed)
    # A network of the zoo is trained in the range and with the normalisation with which it is opened later.
    facts = facts_of(module)
    data = data.brought_to(facts.value_range)
    whole = Normalised(module, facts.mean, facts.std) if facts.mean else module
    # One pass before the training: labels beyond the network's classes would end it in the middle, as an index error.
    _check_fit(whole, data, network)
    return _Prepared(module, whole, data, recipe)


def _check_out(out: Path | None, resume: bool) -> None:
    if out is None:
        if resume:
            raise InvalidSetting("--resume needs --out: the state is kept beside the weights")
        return
    if out.suffix != ".safetensors":
        raise OutputRefused(f"weights are written as .safetensors, got '{out}'")
    check_writable(out)


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
