"""``unnerve corrupt``: accuracy against the severity of natural changes."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.studies.corrupt.settings import CorruptSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["corrupt"]

_REPORT = Path("corruption.html")


@verb(CorruptSettings, ModelOptions, DataOptions)
def corrupt(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    out: Annotated[Path | None, typer.Option(help="Keep the changed images, as .npz; rank and cover open it.")] = None,
    report: Annotated[Path, typer.Option(metavar="[PATH]", help="The HTML file.")] = _REPORT,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how accuracy falls as images change naturally: light, blur, rotation, compression, noise, fog.

    Accuracy of every change at severities 1 to 5, with intervals; the mean corruption error; the most harmful change
    of every class; examples in the report.

    \b
    unnerve corrupt zoo:lenet5 mnist5k
    unnerve corrupt zoo:lenet5 mnist5k --changes rotation,fog --severities 3 --out changed.npz
    unnerve rank zoo:lenet5 changed.npz
    """
    from unnerve.cli.show import say, say_json
    from unnerve.core.data.provenance import called_with
    from unnerve.core.storage.files import check_page
    from unnerve.reports.corruption.html import write_corruption_report
    from unnerve.reports.corruption.text import corruption_text
    from unnerve.reports.parts.commands import command_figure
    from unnerve.studies.corrupt.changed_set import check_changed_set
    from unnerve.studies.corrupt.corrupt import corrupt as corrupted

    check_page(report)
    check_changed_set(out)
    use_workers(workers)
    subject, examples = opened(model, data, given)
    found = corrupted(subject, examples, out, settings=given[CorruptSettings], progress=shows_progress())
    found = called_with(found, **({} if report == _REPORT else {"report": str(report)}))
    write_corruption_report(found, report)
    figures = found.summary() | {"report": str(report)} | command_figure(found.provenance)
    say_json(figures) if json else say(corruption_text(found, report))
