"""Small tables of text, such as labels beside images."""

import csv
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import TEXT

__all__ = ["text_table"]


def text_table(path: Path) -> dict[str, list[str]]:
    """Return the columns of a CSV file by their names, as texts; every row has as many cells as the first."""
    if path.is_file() and path.stat().st_size > TEXT:
        raise InvalidData(f"{path}: a table must have <= {TEXT:,} bytes, got {path.stat().st_size:,}")
    if path.exists() and not path.is_file():
        raise InvalidData(f"{path}: must be a file")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError as error:
        raise InvalidData(f"{path}: must be a table, found no such file") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidData(f"{path}: must be a table with commas, in UTF-8: {error}") from error
    if len(rows) < 2:
        raise InvalidData(
            f"{path}: must be a table with names of columns and at least one row, found {len(rows)} lines"
        )
    names = [name.strip() for name in rows[0]]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise InvalidData(f"{path}: every column must have a name of its own, got '{doubled}' twice")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(names):
            raise InvalidData(f"{path}: every row must have {len(names)} cells, got {len(row)} in row {number}")
    return {name: [row[place].strip() for row in rows[1:]] for place, name in enumerate(names)}
