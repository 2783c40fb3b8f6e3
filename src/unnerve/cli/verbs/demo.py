"""``unnerve demo``: the whole story on embedded data."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli.options import JsonOption, SeedOption

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("unnerve-demo"),
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Show the whole story on embedded data.

    Ranks 5,000 real digits for LeNet-5, proves the order, and writes an HTML report; takes about a minute.

    \b
    unnerve demo
    unnerve demo --out /tmp/first-look
    """
    from unnerve.cli.show import say, say_json
    from unnerve.reports.parts.page import write_html
    from unnerve.reports.ranking.html import ranking_html
    from unnerve.reports.ranking.text import ranking_text
    from unnerve.studies.demo import demo as shown

    ranking, proof = shown(out, seed=seed, progress=shows_progress())
    ranking.save(out / "ranking.csv")
    page = out / "report.html"
    write_html(page, ranking_html(proof, shlex.join(["unnerve", "demo", "--seed", str(seed), "--out", str(out)])))
    figures = proof.summary() | {"out": str(out), "report": str(page)}
    say_json(figures) if json else say(ranking_text(proof, page))
