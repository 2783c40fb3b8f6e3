"""Data in the order of a ranking: what looks most suspect is hunted from first."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.storage.printable import table_cell

__all__ = ["ordered"]


def ordered(data: Examples, ranking: str | Path | Any) -> Examples:
    """Return those inputs that a ranking names, the most suspect first.

    Parameters
    ----------
    data : Examples
    ranking : path, or Ranking
        What ``unnerve rank`` wrote or returned. It may name fewer inputs than there are, and none that is not there.
    """
    name = str(ranking) if isinstance(ranking, str | Path) else "the ranking"
    table = _read(Path(ranking)) if isinstance(ranking, str | Path) else ranking.table()
    if not {"id", "rank"} <= set(table.column_names):
        raise InvalidData(f"{name}: a ranking has the columns id and rank, got {', '.join(table.column_names)}")
    ranks = table["rank"].to_numpy()
    if not np.issubdtype(ranks.dtype, np.number):
        raise InvalidData(f"{name}: ranks must be numbers, got {ranks[0]!r}")
    rows = _rows(data, [str(one) for one in table["id"].to_pylist()], name)
    return data.take([rows[place] for place in np.argsort(ranks, kind="stable")])


def _rows(data: Examples, ids: Sequence[str], name: str) -> list[int]:
    """Return where inputs are, by their ids or by what stands for these in a CSV file."""
    exact = {identity: [row] for row, identity in enumerate(data.ids())}
    # What a terminal or a table program would obey is written otherwise there.
    written = defaultdict[str, list[int]](list)
    for row, identity in enumerate(data.ids()):
        written[table_cell(identity)].append(row)
    first, second = (written, exact) if name.endswith(".csv") else (exact, written)
    rows: list[int] = []
    for one in ids:
        found = first.get(one) or second.get(one) or []
        if not found:
            raise InvalidData(f"{name}: '{one}' is not in {data.name}; a ranking must be of the same data")
        if len(found) > 1:
            raise InvalidData(f"{name}: '{one}' stands for {len(found)} inputs of {data.name}; rank to a .parquet file")
        rows += found
    return rows


def _read(path: Path) -> pa.Table:
    if path.suffix not in (".csv", ".parquet"):
        raise InvalidSetting(f"a ranking is a .csv or .parquet file, got '{path}'")
    try:
        if path.suffix == ".parquet":
            return pa.parquet.read_table(path)
        # Ids that look like numbers are names all the same.
        options = pa.csv.ConvertOptions(column_types={"id": pa.string()})
        return pa.csv.read_csv(path, convert_options=options)
    except (OSError, pa.ArrowInvalid) as problem:
        raise InvalidData(f"{path}: not a ranking that can be read: {problem}") from problem
