"""Whether the distances that are stored with findings lie in the region that the plan names."""

from math import prod

import pyarrow as pa
import pyarrow.compute as pc

from unnerve.campaign._tables import SCHEMA
from unnerve.core.facts import RegionFacts

__all__ = ["check_distances", "read_for"]

_SLACK = 1e-4
"""Share of the region's size, and of the range of values, that is put down to rounding; regions allow less."""


def read_for(region: RegionFacts) -> tuple[str, ...]:
    """Return the columns that :func:`check_distances` looks at."""
    if region.norm not in SCHEMA.names or region.size is None:
        return ()
    return ("l0", "shape") if region.norm == "l0" else (region.norm,)


def check_distances(table: pa.Table, region: RegionFacts) -> None:
    """Raise ValueError if a finding says that it lies outside the region.

    This trusts the stored distances, which costs next to nothing. ``unnerve verify`` measures them again.
    """
    if not read_for(region) or region.size is None or not table.num_rows:
        return
    low, high = region.value_range
    most = region.size * (1 + _SLACK) + _SLACK * (high - low)
    if region.norm == "l0":
        shape = table["shape"][0].as_py()
        # Of images, pixels are counted and not their channels; a part of a pixel is rounded up by nobody.
        most = region.size * (prod(shape[1:]) if len(shape) > 1 else prod(shape)) + 1
    # Written so that NaN is refused, too.
    inside = pc.all(pc.and_(pc.less_equal(table[region.norm], most), pc.greater_equal(table[region.norm], 0)))
    if not inside.as_py():
        raise ValueError(f"a finding lies outside {region.text}")
