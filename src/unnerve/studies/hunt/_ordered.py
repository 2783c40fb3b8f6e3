"""Data in the order of a ranking: what looks most suspect is hunted from first."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting

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
    ids = table["id"].to_pylist()
    places = {identity: row for row, identity in enumerate(data.ids())}
    # A CSV file keeps a leading sign from table programs by an apostrophe, see the table's own writer.
    rows = [places.get(str(one), places.get(str(one).removeprefix("'"))) for one in ids]
    missing = next((one for one, row in zip(ids, rows, strict=True) if row is None), None)
    if missing is not None:
        raise InvalidData(f"{name}: '{missing}' is not in {data.name}; a ranking must be of the same data")
    return data.take([int(rows[place]) for place in np.argsort(ranks, kind="stable")])


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
