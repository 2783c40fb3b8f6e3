"""``unnerve download``: the official files of a data set, checked."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli.options import JsonOption
from unnerve.subjects.datasets._official import SOURCES

__all__ = ["download"]


def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help=", ".join(SOURCES))],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.")],
    mirror: Annotated[str | None, typer.Option(help="Another address that serves the same files.")] = None,
    json: JsonOption = False,
) -> None:
    """Fetch the official files of a data set.

    Checksums are verified; an interrupted download goes on where it stopped.

    \b
    unnerve download mnist data/mnist
    """
    from unnerve.cli.show import say, say_json
    from unnerve.core.progress import steps_shown
    from unnerve.subjects.download import download as fetch

    with steps_shown(shows_progress(), f"fetching {name}", "bytes") as progress:
        fetch(name, folder, base_url=mirror, progress=lambda _file, done, total: progress(done, total or 0))
    say_json({"data": name, "out": str(folder)}) if json else say(f"{name}: complete and checked, in {folder}")
