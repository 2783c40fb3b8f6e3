"""``unnerve export``: findings as files."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli.options import JsonOption

__all__ = ["export"]


def export(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Folder of a campaign, or its address.")],
    to: Annotated[Path, typer.Option(help="Folder for the files; made if it does not exist.")],
    method: Annotated[str | None, typer.Option(help="Only findings of this method, or of these, with commas.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many, those with the smallest change.")] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only the findings with these ids, or with ids that begin so, with commas.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write findings as files, with a table of labels.

    Images become PNG; where a finding is not exactly an 8-bit image, its values are kept beside it as NPY. Nothing
    of the campaign is run, and the model is not needed.

    \b
    unnerve export runs/a --to findings
    unnerve export runs/arena --to smallest --method pgd --limit 100
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.campaign.export import export as exported

    done = exported(campaign, to, method=method, limit=limit, ids=ids, progress=shows_progress())
    say_json(done.summary()) if json else say(done.headline())
