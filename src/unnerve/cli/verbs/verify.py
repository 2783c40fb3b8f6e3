"""``unnerve verify``: whether a campaign is what it says."""

from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import JsonOption
from unnerve.core.errors import InvalidSetting
from unnerve.subjects.opening import ModelOptions

__all__ = ["verify"]


@verb(optional={ModelOptions: "With --model"})
def verify(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Folder of a campaign, or its address.")],
    given: Given,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The campaign's model: every finding is run again with it.")
    ] = None,
    peers: Annotated[
        str | None, typer.Option(metavar="MODELS", help="The campaign's peers, if its oracle compares with any.")
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only the findings with these ids, with commas, as a report copies them.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check what a campaign claims: structure, hashes, regions; with its model, every finding again.

    Nothing that the campaign names is run, and nothing in its folder is changed. The exit code is 0 if all held, 1 if
    something did not, 2 if it could not be checked.

    \b
    unnerve verify runs/a
    unnerve verify runs/a --model zoo:lenet5
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.verify.verify import verify as verified
    from unnerve.subjects.models import model as as_model

    options = given.named(ModelOptions)
    if model is None and options:
        raise InvalidSetting(f"--{next(iter(options)).replace('_', '-')} is for running findings again, with --model")
    subject = None if model is None else as_model(model, options=ModelOptions(**options))
    seen = verified(campaign, subject, peers=peers, ids=ids, progress=shows_progress())
    say_json(seen.summary()) if json else say(seen.text())
    if not seen.held:
        raise typer.Exit(1)
