"""``unnerve train``: make a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, SeedOption, WorkersOption, tell_skipped, use_workers
from unnerve.subjects.opening import DataOptions
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.training.settings import TrainSettings

__all__ = ["train"]


@verb(TrainSettings, DataOptions, optional={Recipe: "Instead of the network's own recipe"})
def train(
    network: Annotated[str, typer.Argument(metavar="ZOO_NAME", help="{zoo model}")],
    data: DataArgument,
    given: Given,
    out: Annotated[Path | None, typer.Option(help="Weights; ./ZOO_NAME.safetensors by default.")] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Make a model: train a network of the zoo.

    The weights file keeps the recipe that made it.

    \b
    unnerve train lenet5 mnist:DATA/mnist --split train --test mnist:DATA/mnist --out lenet5.safetensors
    unnerve train net2 cifar10:DATA/cifar10 --split train --epochs 10 --seed 1
    unnerve train lenet5 mnist:DATA/mnist --split train --fault polluted:alpha=0.2,class=3 --out polluted.safetensors
    unnerve train nin cifar10:DATA/cifar10 --split train --out nin.safetensors --resume
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.train import train as trained
    from unnerve.subjects.data import examples
    from unnerve.subjects.training.recipes import recipe_for

    use_workers(workers)
    # Without its settings: recipes and the usual file are those of the network, whatever its width.
    name = network.removeprefix("zoo:").partition(":")[0]
    source = examples(data, options=given[DataOptions])
    tell_skipped(source)
    recipe = replace(recipe_for(name, source.shape), **{**given.named(Recipe), "seed": seed})
    path = out or Path(f"{name}.safetensors")
    done = trained(network, source, path, recipe=recipe, settings=given[TrainSettings], progress=shows_progress())
    say_json(done.summary() | {"out": str(path)}) if json else say(f"{done.headline()}; weights in {path}")
