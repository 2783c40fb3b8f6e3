"""``unnerve cover``: how much of a network a set of inputs exercises."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.core.errors import OutputRefused
from unnerve.studies.cover.settings import CoverSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

if TYPE_CHECKING:
    from unnerve.studies.cover.result import Cover
    from unnerve.studies.gates.gate import Gate

__all__ = ["cover"]


@verb(CoverSettings, GateSettings, ModelOptions, DataOptions)
def cover(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    out: Annotated[Path | None, typer.Option(help="The figures as a .json file.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="[PATH]", help="Write the HTML report; cover.html if no path follows.")
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how much of a network a set of inputs exercises.

    All criteria share one pass. kmnc, nbc and snac compare with what the neurons did on training data (--profile);
    without it they are left out.

    \b
    unnerve cover zoo:lenet5 mnist5k --split test
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k --criteria nc:0.5,kmnc:sections=10000
    unnerve cover zoo:lenet5 mnist5k --split test --profile lenet5.safetensors --also runs/hunt --report cover.html
    """
    from unnerve.cli.show import tell
    from unnerve.core.data.provenance import called_with
    from unnerve.reports.cover.first import next_step
    from unnerve.reports.parts.commands import command_figure
    from unnerve.studies.cover.cover import cover as covered
    from unnerve.studies.cover.criteria import criteria_named
    from unnerve.studies.gates.gate import gate

    use_workers(workers)
    settings, limits = given[CoverSettings], given[GateSettings]
    settings.check_file()
    _check_files(out, report)
    asked = criteria_named(settings.criteria)  # a wrong name shows before anything is opened
    limits.check([*(key.partition(":")[0] for key in asked), "accuracy"], ["neurons", "inputs"])
    subject, examples = opened(model, data, given)
    found = covered(subject, examples, settings=settings, progress=shows_progress())
    found = called_with(found, **({} if report is None else {"report": str(report)}))
    judged = gate(found.summary(), limits.fail_if, limits.undecided)
    figures = found.summary() | command_figure(found.provenance)
    text, following = found.text(), next_step(found)[1]
    _write(found, figures, judged, out, report)
    written = {} if report is None else {"report": str(report)}
    text += "" if report is None else f"\nReport: {report}"
    tell(figures | written, f"{text}\nNext: {following}" if following else text, json, judged)


def _check_files(out: Path | None, report: Path | None) -> None:
    """Refuse before any work what cannot be written."""
    from unnerve.core.storage.files import check_page, check_writable

    if out is not None:
        if out.suffix != ".json":
            raise OutputRefused(f"figures are written as .json, got '{out}'")
        check_writable(out)
    if report is not None:
        check_page(report)


def _write(
    found: "Cover", figures: Mapping[str, Any], judged: "Gate | None", out: Path | None, report: Path | None
) -> None:
    import json

    from unnerve.core.storage.files import whole_file
    from unnerve.reports.cover.html import write_cover_report

    if out is not None:
        with whole_file(out) as part:
            part.write_text(json.dumps(figures, indent=1, allow_nan=False) + "\n")
    if report is not None:
        write_cover_report(found, report, gate=judged)
