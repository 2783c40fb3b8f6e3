"""``unnerve train``: make a model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from unnerve.cli.options import (
    DataArgument,
    JsonOption,
    LimitOption,
    SeedOption,
    SplitOption,
    WorkersOption,
    use_workers,
)

__all__ = ["train"]


def train(
    network: Annotated[str, typer.Argument(metavar="ZOO_NAME", help="lenet1, lenet4, lenet5, net1, net2 ...")],
    data: DataArgument,
    out: Annotated[Path | None, typer.Option(help="Weights; ./ZOO_NAME.safetensors by default.")] = None,
    test: Annotated[str | None, typer.Option(help="DATA to measure accuracy on (its test split).")] = None,
    exclude: Annotated[str | None, typer.Option(help="DATA whose inputs shall not be trained on.")] = None,
    split: SplitOption = None,
    limit: LimitOption = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the data; the network's recipe by default.")] = None,
    rate: Annotated[float | None, typer.Option(help="Learning rate.")] = None,
    batch: Annotated[int | None, typer.Option(help="Examples per step.")] = None,
    optimiser: Annotated[str | None, typer.Option(help="sgd or adam.")] = None,
    momentum: Annotated[float | None, typer.Option(help="For sgd.")] = None,
    schedule: Annotated[str | None, typer.Option(help="constant or cosine.")] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Make a model: train a network of the zoo.

    The weights file keeps the recipe that made it.

    \b
    unnerve train lenet5 mnist:DATA/mnist --split train --test mnist:DATA/mnist --out lenet5.safetensors
    unnerve train net2 cifar10:DATA/cifar10 --split train --epochs 10 --seed 1
    """
    from dataclasses import replace

    from unnerve.cli.show import bar, say, say_json
    from unnerve.studies.train import train_model, without
    from unnerve.subjects.data import examples, has_splits
    from unnerve.subjects.training.recipes import recipe_for

    use_workers(workers)
    network = network.removeprefix("zoo:")
    source = examples(data, split=split, limit=limit)
    if exclude is not None:
        source = without(source, examples(exclude))
    wishes = {"epochs": epochs, "rate": rate, "batch": batch, "optimiser": optimiser, "momentum": momentum}
    wishes |= {"schedule": schedule, "seed": seed}
    given: dict[str, Any] = {key: wish for key, wish in wishes.items() if wish is not None}
    recipe = replace(recipe_for(network.partition(":")[0], source.shape), **given)
    path = out or Path(f"{network.partition(':')[0]}.safetensors")
    measured = None if test is None else examples(test, split="test" if has_splits(test) else None)
    with bar(f"training {network}", "steps") as progress:
        done = train_model(network, source, test=measured, recipe=recipe, out=path, progress=progress)
    accuracies = f"training accuracy {done.history['train_accuracy']:.4f}"
    if measured is not None:
        accuracies += f", test accuracy {done.history['test']['accuracy']:.4f}"
    say_json(done.history | {"out": str(path)}) if json else say(f"{network}: {accuracies}; weights in {path}")
