"""``unnerve react``: which neurons react when inputs become errors."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.studies.hunt.settings import HuntSettings
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["react"]


@verb(ReactSettings, HuntSettings, ModelOptions, DataOptions, inputs=50, queries=500)
def react(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    campaign: Annotated[
        str | None, typer.Option(metavar="CAMPAIGN", help="Folder of a campaign; a short hunt without it.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of the short hunt: hunters as for unnerve hunt; pgd,class_tour,guided,deepsensor by default."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The HTML file.")] = Path("reactions.html"),
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Show which neurons react when inputs become errors.

    For each method: the share of every layer's neurons that react, against noise of the same size, the strongest
    neurons, and how many of them the methods share. Needs errors: those of a campaign, or of a short hunt, for which
    the options of hunt stand here too.

    \b
    unnerve react zoo:lenet5 mnist5k --campaign runs/arena
    unnerve react zoo:lenet5 mnist5k --campaign runs/arena --reaction owen:coalitions=64 --out blame.html
    unnerve react zoo:lenet5 mnist5k --region linf:0.2 --methods pgd,deepsensor
    """
    from unnerve.cli.show import say, say_json
    from unnerve.core.data.provenance import called_with
    from unnerve.core.storage.files import check_page
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.reactions.html import write_reactions_report
    from unnerve.reports.reactions.text import reactions_text
    from unnerve.studies.react.react import react as reacted

    check_page(out)
    use_workers(workers)
    settings, hunt = given[ReactSettings], given[HuntSettings]
    subject, examples = opened(model, data, given)
    found = reacted(
        subject, examples, campaign, methods=methods, settings=settings, hunt=hunt, progress=shows_progress()
    )
    found = called_with(found, **({} if str(out) == "reactions.html" else {"out": str(out)}))
    write_reactions_report(found, out)
    figures = found.summary() | {"report": str(out)} | command_figure(found.provenance)
    say_json(figures) if json else say(reactions_text(found, out))
