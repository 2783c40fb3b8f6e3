"""Reports as one HTML file each, that works without a network."""

import base64
import hashlib
import platform
from dataclasses import asdict
from datetime import datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import unnerve
from unnerve.core.errors import OutputRefused
from unnerve.core.files import whole_file
from unnerve.report._palette import PALETTE, light
from unnerve.report._scatter import figures
from unnerve.report.charts import eff_chart, found_chart, library, tries_chart
from unnerve.report.data import Making, RankingPage, ranking_page
from unnerve.studies.ranking_proof import RankingProof
from unnerve.studies.reproduction import Reproduction

__all__ = ["ranking_html", "reproduction_html", "write_html"]


def ranking_html(proof: RankingProof, command: str, *, date: datetime | None = None) -> str:
    """Return the report of a ranking proof as one self-contained page.

    Parameters
    ----------
    proof : RankingProof
    command : str
        The exact command line, shown with a button to copy it.
    date : datetime, optional
        When the proof was made; now by default.

    Returns
    -------
    str
        HTML with its styles, scripts, charts and pictures inside, below 10 MB; nothing is loaded from elsewhere.
    """
    when = (date or datetime.now().astimezone()).strftime("%Y-%m-%d %H:%M %Z").strip()
    page = ranking_page(proof, Making(command, when, _versions()))
    return _rendered("ranking", page, _payload(page, proof.protocol.tries))


def reproduction_html(result: Reproduction, command: str) -> str:
    """Return a reproduced paper as one self-contained page: claims, tables and scatter figures.

    Parameters
    ----------
    result : Reproduction
    command : str
        The exact command line, shown with a button to copy it.
    """
    shown = figures(result.cells)
    tries = int(result.cells[0]["plan"]["protocol"]["tries"])
    page = {**vars(result), "held": sum(claim.held for claim in result.claims), "figures": shown, "command": command}
    return _rendered("reproduction", page, {"charts": {id_: eff_chart(series, tries) for id_, _, series in shown}})


def write_html(path: str | Path, text: str) -> None:
    """Write a page: the whole file or none."""
    try:
        with whole_file(Path(path)) as part:
            part.write_bytes(text.encode("utf-8", "replace"))
    except ValueError as problem:
        raise OutputRefused(f"cannot write {str(path)!r}: {problem}") from problem


def _rendered(name: str, page: object, payload: dict[str, Any]) -> str:
    scripts = [_script("page.js"), _script(f"{name}.js")]
    template = _environment().get_template(f"{name}.html")
    return template.render(
        page=page,
        payload={"colours": {light(name): name for name in PALETTE}, **payload},
        palette=PALETTE,
        library=Markup(library()),  # noqa: S704 - plotly's own script, which has no closing tag in it
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - files of this package
        script_hashes=[_hash(script) for script in (library(), *scripts)],
    )


def _payload(page: RankingPage, tries: int) -> dict[str, Any]:
    """Return what the page's script needs: the rest is in the markup already."""
    return {
        "lead": page.lead,
        "total": page.total,
        "orders": {name: _ordered(page, name) for name in page.strips},
        "inputs": {row: asdict(one) for row, one in page.inputs.items()},
        "charts": {
            "effs": {name: eff_chart(series, tries) for name, series in page.effs.items()},
            "tries": tries_chart(page.bars) if page.bars else None,
            "found": found_chart(page.found, page.noun) if page.found else None,
        },
    }


def _ordered(page: RankingPage, score: str) -> dict[str, list[int]]:
    """Return the rows of a score's strip."""
    strip = page.strips[score]
    rows = {one.ranks[score] - 1: row for row, one in page.inputs.items()}
    return {"first": [rows[rank] for rank in strip.first], "spread": [rows[rank] for rank in strip.spread]}


def _versions() -> dict[str, str]:
    installed = {name: version(name) for name in ("torch", "numpy", "plotly")}
    return {"unnerve": unnerve.__version__, "Python": platform.python_version(), **installed}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("unnerve.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


@cache
def _script(name: str) -> str:
    return Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
