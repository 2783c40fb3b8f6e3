"""``unnerve inspect``: what a model is, and what can be done with it."""

from typing import Annotated

import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.options import JsonOption, ModelArgument
from unnerve.core.errors import InvalidSetting
from unnerve.subjects.opening import ModelOptions

__all__ = ["inspect"]


@verb(ModelOptions)
def inspect(
    model: ModelArgument,
    given: Given,
    shape: Annotated[
        str | None, typer.Option(help="Shape of one input, e.g. 3,32,32; found by trying if left away.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what a model is and what it can do.

    Shape, classes, layers, neurons, capabilities and throughput.

    \b
    unnerve inspect zoo:lenet5
    unnerve inspect net.py:build --shape 3,32,32
    unnerve inspect zoo:lenet5 --neurons conv_dense
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.inspect import inspect as inspected

    try:
        sides = None if shape is None else tuple(int(side) for side in shape.split(","))
    except ValueError:
        raise InvalidSetting(f"--shape must be whole numbers with commas, got '{shape}'") from None
    found = inspected(model, sides, options=given[ModelOptions])
    say_json(found.summary()) if json else say(found.text())
