"""Tables in Parquet files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import check_table, check_unpacked
from unnerve.subjects.datasets._files import existing_file
from unnerve.subjects.datasets._tables.columns import Columns, Roles, is_bytes, roles
from unnerve.subjects.datasets._tables.table import table_examples

__all__ = ["parquet"]

_ROWS = 65536
_CELLS = 2**24
_BYTES = 2**29
"""What is unpacked at a time, at most."""


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
    with _one_line(file), pa.parquet.ParquetFile(file, pre_buffer=False) as table:
        columns = roles(table.schema_arrow, Columns(label, features, categories), str(file))
        check_table(table.metadata.num_rows, len(columns.features), str(file))
        pages = _Pages(table, columns, str(file))
    return table_examples(str(file), pages.batches(file), columns)


class _Pages:
    """How the columns that are needed are read, by what the file says of its pages before any is unpacked."""

    def __init__(self, table: "pa.parquet.ParquetFile", roles: Roles, name: str) -> None:
        self.columns = [one for one in (*roles.features, roles.label, roles.id) if one is not None]
        groups = (table.metadata.row_group(place) for place in range(table.metadata.num_row_groups))
        chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
        needed = [chunk for chunk in chunks if chunk.path_in_schema in self.columns]
        for chunk in needed:
            check_unpacked(chunk.total_uncompressed_size, f"{name}: the column '{chunk.path_in_schema}'")
        # Arrow cannot leave these texts coded, and each may be as long as all that is written of its column, for of
        # the one before it only the difference is: so few of them are unpacked at a time.
        delta = [one for one in needed if any(word.startswith("DELTA") for word in one.encodings)]
        texts = {one for one in self.columns if is_bytes(table.schema_arrow.field(one).type)}
        longest = max((one.total_uncompressed_size for one in delta if one.path_in_schema in texts), default=1)
        self.coded = sorted(texts - {one.path_in_schema for one in delta})
        self.rows = max(1, min(_ROWS, _CELLS // len(self.columns), _BYTES // max(1, longest)))

    def batches(self, file: Path) -> Iterator[pa.RecordBatch]:
        """Yield the table; a text that a page holds once is not repeated for every row that has it."""
        with _one_line(file), pa.parquet.ParquetFile(file, read_dictionary=self.coded, pre_buffer=False) as table:
            yield from table.iter_batches(self.rows, columns=self.columns, use_threads=False)


@contextmanager
def _one_line(file: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise InvalidData(f"{file}: must be a Parquet file, and not damaged: {error}") from error
