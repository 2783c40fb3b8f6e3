"""What every result offers: a line, a table, figures, a data frame, a report."""

from html import escape
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

__all__ = ["Result"]

_SHOWN = 10


@runtime_checkable
class Result(Protocol):
    """What a verb returns; each says its own headline, table and figures, and has the rest from here.

    Examples
    --------
    >>> import unnerve
    >>> covered = unnerve.cover("zoo:lenet5", "mnist5k")
    >>> covered.to_pandas()
    >>> covered.report("cover.html")
    """

    def headline(self) -> str:
        """Return what was found, in one line."""
        ...

    def table(self) -> pa.Table:
        """Return the details as an Arrow table, one row per input, method or criterion."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON; its keys are stable."""
        ...

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return self.table().to_pandas()

    def report(self, path: str | Path | None = None) -> Path:
        """Write the HTML report, and return where it is."""
        from unnerve.reports.write import write_report  # noqa: PLC0415 - the one import that points up

        return write_report(self, path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def _repr_html_(self) -> str:
        """Return the headline and the first rows of the table, for notebooks."""
        table = self.table()
        # The bytes of an input, and how they are to be read, tell nobody anything, and may be a megabyte a row.
        names = [name for name in table.column_names if name not in ("input", "shape", "dtype")]
        rows = table.slice(0, _SHOWN).select(names).to_pylist()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in names) + "</tr>" for row in rows)
        more = f"<p>{_SHOWN} of {table.num_rows:,} rows</p>" if table.num_rows > _SHOWN else ""
        return f"<p>{escape(self.headline())}</p><table><tr>{head}</tr>{body}</table>{more}"


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))
