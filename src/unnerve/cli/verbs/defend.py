"""``unnerve defend``: how well defences hold."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, opened
from unnerve.studies.defend.settings import DefendSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["defend"]


@verb(DefendSettings, ModelOptions, DataOptions)
def defend(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    against: Annotated[
        str, typer.Option(metavar="CAMPAIGNS", help="Folders of campaigns on this model, with commas between them.")
    ] = "",
    defences: Annotated[
        str, typer.Option(help="all, or some of {defence}, {transform} with their settings, with commas.")
    ] = "all",
    out: Annotated[
        Path | None, typer.Option(help="The figures as a .json file, and beside it the weights of hardened models.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="[PATH]", help="Write the HTML report; defence.html if no path follows.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Test how well defences hold on clean inputs, on attacks and on uncommon inputs.

    A detector is right if it tells benign from adversarial inputs, an input transform if the model then answers as
    labelled. Detectors learn from clean inputs that are not tested. Campaigns of hunt --pattern are uncommon inputs.

    \b
    unnerve defend zoo:lenet5 mnist5k --against runs/pgd,runs/uncommon --adaptive --report defences.html
    unnerve defend zoo:lenet5 mnist5k --against runs/pgd --defences "squeezing,mutation:mutants=500,jpeg:50" --json
    """
    from unnerve.cli.show import say, say_json
    from unnerve.core.data.provenance import called_with
    from unnerve.core.errors import OutputRefused
    from unnerve.core.storage.files import check_page, check_writable
    from unnerve.reports.defence.next_step import next_step
    from unnerve.reports.parts.commands import command_figure
    from unnerve.studies.defend.defend import defend as defended
    from unnerve.studies.defend.figures import write_figures

    if out is not None and out.suffix != ".json":
        raise OutputRefused(f"figures are written as .json, got '{out}'")
    places = {name: place for name, place in (("out", out), ("report", report)) if place is not None}
    for name, place in places.items():
        check_page(place) if name == "report" else check_writable(place)
    subject, examples = opened(model, data, given)
    found = defended(subject, examples, against, defences, settings=given[DefendSettings], progress=shows_progress())
    found = called_with(found, **{name: str(place) for name, place in places.items()})
    figures = found.summary() | command_figure(found.provenance)
    if report is not None:
        found.report(report)
        figures |= {"report": str(report)}
    if out is not None:
        figures = write_figures(figures, found.hardened, out)
    lines = [found.text()] if report is None else [found.text(), f"Report: {report}"]
    lines += [f"Next: {following}"] if (following := next_step(found).command) else []
    say_json(figures) if json else say("\n".join(lines))
