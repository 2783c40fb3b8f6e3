"""``unnerve reproduce``: a paper's tables, regenerated, next to the printed figures."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli.options import JsonOption, SeedOption, WorkersOption, use_workers

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="nsatp, peacepact, kuk, deepsensor")],
    data: Annotated[Path, typer.Option(help="Folder with mnist/, cifar10/ ... (what each paper needs: see below).")],
    out: Annotated[Path | None, typer.Option(help="Folder for results; ./runs/PAPER by default.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The paper's size instead of about half an hour.")] = False,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Regenerate a paper's tables and figures.

    Says which of its claims held, with intervals. Finished parts are kept: run the same command again to go on
    after an interruption. What the data folder lacks is left out, and said: mnist/, fashion-mnist/, cifar10/,
    cifar100/ for nsatp and peacepact; mnist/, cifar10/, imagenet-samples/, weights/ for kuk and deepsensor.

    \b
    unnerve reproduce nsatp --data data
    unnerve reproduce peacepact --data data --full --out runs/peacepact-full
    """
    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.catalogue import find
    from unnerve.core.files import whole_file
    from unnerve.report.reproduction.files import reproduction_files
    from unnerve.report.reproduction.text import reproduction_text

    use_workers(workers)
    study = find("paper", paper)
    folder = out or Path("runs") / paper
    with bar(f"reproducing {paper}", "parts") as progress:
        result = study(data, folder, full=full, seed=seed, progress=progress)
    command = shlex.join(["unnerve", *sys.argv[1:]])
    for name, text in reproduction_files(result, command).items():
        with whole_file(folder / name) as part:
            part.write_text(text)
    figures = result.summary() | {"out": str(folder)}
    say_json(figures) if json else say(reproduction_text(result, folder))
