"""Tables in Parquet files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._files import existing_file
from unnerve.subjects.datasets._tables.columns import Columns, roles
from unnerve.subjects.datasets._tables.table import table_examples

__all__ = ["parquet"]

_BLOCK = 65536


def parquet(
    path: str | Path,
    label: str | None = None,
    features: str | Sequence[str] | None = None,
    categories: str | Sequence[str] | None = None,
) -> Examples:
    """Read a table of numbers, one input a row; it is read in one pass, and may exceed memory.

    Parameters
    ----------
    path : path
        A column ``id`` names the rows.
    label, features, categories : str, optional
        As of :func:`~unnerve.subjects.datasets.csv.csv`. Columns of a categorical type are categories without being
        named, and their codes keep the order of the type.

    Returns
    -------
    Examples of shape (F,)
        With what is known of each column: its name, range and spread.
    """
    file = existing_file(path, "parquet")
    try:
        table = pa.parquet.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise InvalidData(f"{file}: must be a Parquet file, and not damaged: {error}") from error
    with table:
        columns = roles(table.schema_arrow, Columns(label, features, categories), str(file))
        return table_examples(str(file), _batches(table, str(file)), columns)


def _batches(table: "pa.parquet.ParquetFile", name: str) -> Iterator[pa.RecordBatch]:
    try:
        yield from table.iter_batches(_BLOCK, use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise InvalidData(f"{name}: must be a Parquet file, and not damaged: {error}") from error
