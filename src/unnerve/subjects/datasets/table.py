"""Tables in memory: DataFrames of pandas and polars, tables of Arrow, dicts of columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._tables.columns import Columns, roles
from unnerve.subjects.datasets._tables.table import table_examples

__all__ = ["is_table", "table"]


def table(
    frame: Any,
    label: str | None = None,
    features: Sequence[str] | None = None,
    categories: Sequence[str] | None = None,
    labels: Any = None,
    classes: Sequence[str] = (),
    name: str = "table",
) -> Examples:
    """Return the examples of a table in memory, one a row.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Table of pyarrow, or dict of columns
        The index of a pandas DataFrame, or a column ``id``, names the rows.
    label : str, optional
        The column of labels; one called label, target, class or y by default; ``none`` if there is none.
    features : sequence of str, optional
        The columns that the model takes, in its order; all others that hold numbers by default.
    categories : sequence of str, optional
        Columns whose values are neither more nor less than each other; those of a categorical type need not be named.
    labels : array or sequence of shape (N,), optional
        Labels that are in no column.
    classes : sequence of str
        Names of the classes in the order of their numbers.
    name : str
        Of the data, shown in messages and reports.

    Returns
    -------
    Examples of shape (F,)
        With what is known of each column: its name, range and spread.

    Examples
    --------
    >>> from unnerve.subjects.datasets.table import table
    >>> flowers = table({"petal": [1.4, 4.7], "sepal": [5.1, 7.0], "species": ["setosa", "other"]}, label="species")
    >>> flowers.features.names
    ('petal', 'sepal')
    """
    whole = _arrow(frame, name)
    columns = roles(whole.schema, Columns(label, features, categories), name, labelled=labels is not None)
    return table_examples(name, whole.combine_chunks().to_batches(), columns, labels, classes)


def is_table(value: object) -> bool:
    """Say whether something is a table in memory, without importing what it may come from."""
    # pandas and polars are no dependencies: their names are enough.
    home = type(value).__module__.partition(".")[0]
    return (home in ("pandas", "polars") and type(value).__name__ == "DataFrame") or isinstance(value, pa.Table)


def _arrow(frame: Any, name: str) -> pa.Table:
    try:
        if isinstance(frame, pa.Table):
            return frame
        if isinstance(frame, Mapping):
            return pa.table({str(key): pa.array(column) for key, column in frame.items()})
        if hasattr(frame, "to_arrow"):
            found: pa.Table = frame.to_arrow()
            return found
        frame = frame.rename(columns=str)
        found = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise InvalidData(f"{name}: must be columns of one length, each of one type: {error}") from error
    # A default index only counts rows, which everybody can.
    if type(frame.index).__name__ != "RangeIndex" and "id" not in found.column_names:
        found = found.append_column("id", pa.array([str(one) for one in frame.index]))
    return found
