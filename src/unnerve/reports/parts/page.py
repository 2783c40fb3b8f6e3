"""Pages from templates: one file each, whose policy lets nothing run or load but what it was made with."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from unnerve.core.errors import OutputRefused
from unnerve.core.storage.files import whole_file
from unnerve.reports.parts.gate import Badge
from unnerve.reports.parts.numbers import unbroken
from unnerve.reports.parts.palette import PALETTE, light
from unnerve.reports.parts.plotly import library, library_source

__all__ = ["rendered", "write_html"]


def rendered(
    name: str,
    page: object,
    payload: dict[str, Any],
    *,
    charts: bool = True,
    badge: Badge | None = None,
    scripts: Sequence[str] = (),
) -> str:
    """Return the page of the template ``name``.

    Parameters
    ----------
    name : str
        Of ``templates/NAME.html`` and its script ``templates/NAME.js``.
    page : object
        What the template shows; all of it is escaped.
    payload : dict
        What the script needs, as JSON without NaN.
    charts : bool
        Whether the page draws any: the chart library is megabytes.
    badge : Badge, optional
        The verdict on the limits that the user stated.
    scripts : sequence of str
        Further files of ``templates``, for parts of the page; they run before its own.
    """
    drawing = library() if charts else ""
    sources = [_script(one) for one in ("page.js", *scripts, f"{name}.js")]
    template = _environment().get_template(f"{name}.html")
    return template.render(
        page=page,
        badge=badge,
        payload={"colours": {light(name): name for name in PALETTE}, **payload},
        palette=PALETTE,
        library=drawing,
        scripts=[Markup(script) for script in sources],  # noqa: S704 - files of this package
        # Of what is run, byte by byte: the page's policy lets a browser run nothing that has another hash. The library
        # is packed in the page, and hashed as its script unpacks it.
        script_hashes=[_hash(script) for script in (*([library_source()] if charts else []), *sources)],
    )


def write_html(path: str | Path, text: str) -> None:
    """Write a page: the whole file or none."""
    try:
        with whole_file(Path(path)) as part:
            # Names of files that are no UTF-8 come as lone surrogates, for which UTF-8 has no bytes.
            part.write_bytes(text.encode("utf-8", "replace"))
    # Of a path with a NUL character, which no operating system is asked about.
    except ValueError as problem:
        raise OutputRefused(f"cannot write {str(path)!r}: {problem}") from problem


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("unnerve.reports", "templates"),
        autoescape=True,
        # A misspelt name in a template is an error of the tests, not an empty place on a page.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = unbroken
    # NaN is no JSON: browsers would refuse the whole payload, so it fails here, where it can be found.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


@cache
def _script(name: str) -> str:
    return (Path(__file__).parents[1] / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
