"""``unnerve inspect``: what a model is, and what can be done with it."""

from typing import Annotated

import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.options import JsonOption, ModelArgument, opened
from unnerve.core.errors import InvalidSetting
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["inspect"]


@verb(ModelOptions, DataOptions)
def inspect(
    model: ModelArgument,
    given: Given,
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="Data to try it on, for its accuracy: as of every verb.")
    ] = None,
    shape: Annotated[
        str | None, typer.Option(help="Shape of one input, e.g. 3,32,32; the data's, or found by trying, if left away.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what a model is, what it can do, how good it is, and which verbs will work.

    Shape, classes, layers, neurons, capabilities and throughput; with DATA its accuracy and commonest mistakes.

    \b
    unnerve inspect zoo:lenet5 mnist5k
    unnerve inspect net.py:build --shape 3,32,32
    unnerve inspect zoo:lenet5 --neurons conv_dense
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.inspect.inspect import inspect as inspected

    try:
        sides = None if shape is None else tuple(int(side) for side in shape.split(","))
    except ValueError:
        raise InvalidSetting(f"--shape must be whole numbers with commas, got '{shape}'") from None
    if data is None:
        # A switch is never None, so that nobody can tell whether it was given.
        given_for_data = sorted(given.named(DataOptions).keys() - {"skip_unreadable"})
        if given_for_data:
            raise InvalidSetting(f"--{given_for_data[0].replace('_', '-')} is for data, and none is named")
        found = inspected(model, shape=sides, options=given[ModelOptions])
    else:
        subject, examples = opened(model, data, given)
        found = inspected(subject, examples, sides)
    say_json(found.summary()) if json else say(found.text())
