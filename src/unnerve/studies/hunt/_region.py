"""The region of a hunt: the one that was named, or the usual one, in the range of the data."""

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.core.methods import Space
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.command_text import command_text, number_text
from unnerve.core.ranges import UNIT, Bounded, ValueRange, following

__all__ = ["default_region", "hunted_region"]


def hunted_region(named: str | Space | None, seeds: Examples) -> Space:
    """Return the region around the seeds; its bounds are the range of the data unless it has bounds of its own.

    Raises
    ------
    InvalidData
        If a seed has values outside the region's bounds: no change of it could lie in the region.
    """
    region: Space = build("region", named or default_region(seeds.shape, seeds.value_range))
    region = following(region, seeds.value_range)
    if isinstance(region, Bounded):
        _check_seeds(seeds, region, command_text(region))
    return region


def default_region(shape: tuple[int, ...], held: ValueRange = UNIT) -> str:
    """Return the region that is used if none is named: linf 0.1 for 28x28 grey images, 8/255 otherwise.

    Values that do not lie in [0, 1] may change by the same shares of their range.
    """
    share = 0.1 if shape == (1, 28, 28) else 8 / 255
    return f"linf:{number_text(share * (held[1] - held[0]))}"


def _check_seeds(seeds: Examples, region: Bounded, text: str) -> None:
    low, high = seeds.value_range
    if region.low <= low and high <= region.high:
        return  # every value was compared with the range of the data when it was read
    for batch in seeds.batches():
        values = batch.inputs.flatten(1)
        outside = ((values.amin(dim=1) < region.low) | (values.amax(dim=1) > region.high)).nonzero().flatten()
        if len(outside):
            row = int(outside[0])
            least, most = (float(bound) for bound in values[row].aminmax())
            raise InvalidData(
                f"{seeds.name}: seeds must lie in the bounds of the region {text}, [{region.low:g}, {region.high:g}], "
                f"got values from {least:.4g} to {most:.4g} in '{batch.ids[row]}'; without low and high, a region has "
                f"the range of the data, [{low:g}, {high:g}]"
            )
