"""``unnerve reproduce``: a paper's tables, regenerated, next to the printed figures."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import session, shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import JsonOption, WorkersOption, use_workers
from unnerve.core.errors import InvalidSetting
from unnerve.reports.reproduction.settings import ReproduceSettings

__all__ = ["reproduce"]


@verb(ReproduceSettings)
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="{paper}")],
    data: Annotated[Path, typer.Option(help="Folder with mnist/, cifar10/ ... (what each paper needs: see above).")],
    given: Given,
    out: Annotated[Path | None, typer.Option(help="Folder for results; ./runs/PAPER by default.")] = None,
    cell: Annotated[
        str | None, typer.Option(help="Run one cell again, and compare it with the stored one; exit 1 if they differ.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="With --cell: folder of results with the stored cell; --out by default.")
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Regenerate a paper's tables and figures.

    Says which of its claims held, with intervals. Finished parts are kept: run the same command again to go on
    after an interruption. What the data folder lacks is left out, and said: mnist/, fashion-mnist/, cifar10/,
    cifar100/ for nsatp and peacepact; mnist/, cifar10/, imagenet-samples/, weights/ for kuk and deepsensor; mnist/,
    cifar10/ for deepsensor_faults; speech/ for deepsensor_speech.

    \b
    unnerve reproduce nsatp --data data
    unnerve reproduce peacepact --data data --full --out runs/peacepact-full
    unnerve reproduce kuk --data data --table 4
    unnerve reproduce kuk --data data --table 5 --only lenet5
    unnerve reproduce kuk --data data --cell lenet5-mnist
    """
    settings = given[ReproduceSettings]
    if cell is not None and settings.table is not None:
        raise InvalidSetting("--cell and --table cannot be given together")
    if cell is not None and settings.stored:
        raise InvalidSetting("--cell runs a cell again, --stored runs nothing: they cannot be given together")
    from unnerve.cli.show import say, say_json
    from unnerve.reports.reproduction.reproduce import reproduce as reproduced
    from unnerve.reports.reproduction.text import reproduction_text

    use_workers(workers)
    if cell is not None:
        _repeat(paper, data, cell, against or out, settings, json)
        return
    folder, command = out or Path("runs") / paper, shlex.join(["unnerve", *session().words])
    result = reproduced(paper, data, folder, settings=settings, progress=shows_progress(), command=command)
    say_json(result.summary() | {"out": str(folder)}) if json else say(reproduction_text(result, folder))


def _repeat(paper: str, data: Path, cell: str, stored: Path | None, settings: ReproduceSettings, json: bool) -> None:
    from unnerve.cli.show import say, say_json
    from unnerve.reports.reproduction.repeat_cell import repeat_cell
    from unnerve.reports.reproduction.text import repetition_text

    result = repeat_cell(paper, data, cell, stored, full=settings.full, seed=settings.seed)
    say_json(result.summary()) if json else say(repetition_text(result))
    if not result.agrees:
        raise typer.Exit(1)
