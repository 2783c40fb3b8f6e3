"""A result as one HTML file that works without a network."""

import json

from unnerve.core.results import Result
from unnerve.reports.parts.commands import shown_command
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.page import rendered

__all__ = ["figures_html"]

_ROWS = 1000
_BYTES = ("input", "shape", "dtype")


def figures_html(result: Result, command: str = "") -> str:
    """Return a result as one self-contained page: headline, table, figures as JSON.

    Parameters
    ----------
    result : Result
    command : str
        Another command to show than the one that repeats it.
    """
    table, provenance = result.table(), getattr(result, "provenance", None)
    line, note = shown_command(command, provenance)
    columns = [name for name in table.column_names if name not in _BYTES]
    rows = table.slice(0, _ROWS).select(columns).to_pylist()
    page = {
        "kind": type(result).__name__,
        "headline": printable(result.headline()),
        "columns": columns,
        "rows": [[_cell(row[name]) for name in columns] for row in rows],
        "total": table.num_rows,
        "figures": json.dumps(result.summary(), indent=1, default=str),
        "command": line,
        "command_note": note if provenance else "",
    }
    return rendered("figures", page, {}, charts=False)


def _cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    return significant(value) if isinstance(value, float) else printable(str(value))
