"""Tables in text: CSV files, with commas, semicolons or tabs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._files import existing_file
from unnerve.subjects.datasets._tables.columns import Columns, roles
from unnerve.subjects.datasets._tables.table import table_examples

__all__ = ["csv"]

_BLOCK = 2**24


def csv(
    path: str | Path,
    label: str | None = None,
    features: str | Sequence[str] | None = None,
    categories: str | Sequence[str] | None = None,
) -> Examples:
    """Read a table of numbers, one input a row; it is read in one pass, and may exceed memory.

    Parameters
    ----------
    path : path
        The first line names the columns. A column ``id`` names the rows.
    label : str, optional
        The column of labels, whole numbers or names; one called label, target, class or y by default; ``none`` if
        there is none.
    features : str, optional
        The columns that the model takes, in its order, with + between them; all others that hold numbers by default.
    categories : str, optional
        Columns whose values are neither more nor less than each other, with + between them. Texts are coded 0, 1, ...
        in alphabetical order.

    Returns
    -------
    Examples of shape (F,)
        With what is known of each column: its name, range and spread.

    Examples
    --------
    >>> from unnerve.subjects.datasets.csv import csv
    >>> flowers = csv("iris.csv", label="species")
    >>> flowers.features.names
    """
    file = existing_file(path, "csv")
    # Opened twice: types are guessed from the first block, and the guess must not fail in a later one.
    reader = _opened(file, {})
    # Numbers of one block may be whole and those of the next not: which they are is decided by their values.
    whole = {field.name for field in reader.schema if pa.types.is_integer(field.type)}
    numbers = {field.name for field in reader.schema if pa.types.is_null(field.type)} | whole
    _check_header(reader.schema, str(file))
    columns = roles(reader.schema, Columns(label, features, categories), str(file))
    reader = _opened(file, {name: pa.float64() for name in numbers if name not in (columns.label, columns.id)})
    return table_examples(str(file), _batches(reader, str(file)), columns)


def _opened(path: Path, types: dict[str, pa.DataType]) -> "pa.csv.CSVStreamingReader":
    with path.open("rb") as file:
        first = file.readline(_BLOCK).decode("utf-8", "replace")
    separator = max(",;\t", key=first.count)
    try:
        return pa.csv.open_csv(
            path,
            pa.csv.ReadOptions(use_threads=False, block_size=_BLOCK),
            pa.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            pa.csv.ConvertOptions(column_types=types),
        )
    except (pa.ArrowException, OSError) as error:
        raise InvalidData(f"{path}: must be a table with names of columns: {error}") from error


def _check_header(schema: pa.Schema, name: str) -> None:
    doubled = next((one for one in schema.names if schema.names.count(one) > 1), None)
    if doubled is not None:
        raise InvalidData(f"{name}: every column must have a name of its own, got '{doubled}' twice")
    if all(one.lstrip("-").replace(".", "", 1).isdigit() for one in schema.names):
        raise InvalidData(f"{name}: the first line must name the columns, got {', '.join(schema.names[:5])}")


def _batches(reader: "pa.csv.CSVStreamingReader", name: str) -> Iterator[pa.RecordBatch]:
    try:
        yield from reader
    except pa.ArrowException as error:
        raise InvalidData(f"{name}: {error}") from error
