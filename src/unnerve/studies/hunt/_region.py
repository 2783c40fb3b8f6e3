"""The region of a hunt: the one that was named, or the usual one, in the range of the data."""

from collections.abc import Iterable
from dataclasses import replace

from unnerve.core.data.clips import Clips
from unnerve.core.data.examples import Examples
from unnerve.core.data.features import Features
from unnerve.core.data.ranges import UNIT, Bounded, ValueRange, following
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.fitting import NORMED, OF_CLIPS
from unnerve.core.methods import Hunter, Oracle, Space
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.command_text import command_text, number_text
from unnerve.core.pools import PoolHunter
from unnerve.generate.oracles.pattern import Pattern
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.semantic import Semantic
from unnerve.generate.regions.snr import SNR
from unnerve.generate.regions.spread import Spread

__all__ = ["default_region", "default_share", "hunted_region", "only_region", "pattern_region", "region_of"]

_TABLE, _WAVEFORM, _PATTERN = "spread:0.25", "snr:30", 0.3


def hunted_region(named: str | Space | None, seeds: Examples) -> Space:
    """Return the region around the seeds; its bounds are the range of the data unless it has bounds of its own.

    Raises
    ------
    InvalidData
        If a seed has values outside the region's bounds: no change of it could lie in the region.
    """
    region = region_of(named, seeds)
    if seeds.features is None and isinstance(region, Bounded):  # bounds of rows are those of each feature
        _check_seeds(seeds, region, command_text(region))
    return region


def region_of(named: str | Space | None, data: Examples) -> Space:
    """Return the region for data of this kind, whatever values they hold; raises if it is none for them."""
    if data.features is not None:
        return _around_rows(build("region", named or _TABLE), data, data.features)
    if data.clips is not None:
        return _around_clips(build("region", named or _usual_of_clips(data, data.clips)), data, data.clips)
    return _around_images(build("region", named or default_region(data.shape, data.value_range)), data)


def only_region(hunters: Iterable[Hunter | PoolHunter]) -> str | None:
    """Return the region that all hunters work in if each works in that one only, such as semantic; else None."""
    stated = {hunter.regions for hunter in hunters}
    regions = stated.pop() if len(stated) == 1 else None
    return regions[0] if regions is not None and len(regions) == 1 and NORMED not in regions else None


def pattern_region(oracle: Oracle, seeds: Examples) -> str | None:
    """Return the region in which a pattern of confidence and uncertainty is looked for; None for the usual one.

    It is KuK's linf 0.3 of the range of values, for all images. In the usual one, which is a tenth of that in colour,
    the paper's search finds next to nothing.
    """
    if not isinstance(oracle, Pattern) or seeds.features is not None or seeds.clips is not None:
        return None
    return f"linf:{number_text(_PATTERN * (seeds.value_range[1] - seeds.value_range[0]))}"


def default_region(shape: tuple[int, ...], held: ValueRange = UNIT) -> str:
    """Return the region that is used if none is named: linf 0.1 for 28x28 grey images, 8/255 otherwise.

    Values that do not lie in [0, 1] may change by the same shares of their range.
    """
    return f"linf:{number_text(default_share(shape) * (held[1] - held[0]))}"


def default_share(shape: tuple[int, ...]) -> float:
    """Return how much each value of an input may change by default, as a share of the range."""
    return 0.1 if shape == (1, 28, 28) else 8 / 255


def _around_rows(region: Space, seeds: Examples, features: Features) -> Space:
    """Return the region around rows of a table, which are changed feature by feature, each in its own units."""
    if not isinstance(region, Spread):
        rule = "the rows of a table are changed within spread:R, R standard deviations of each feature"
        raise InvalidSetting(f"{seeds.name}: {rule}, got {command_text(region)}")
    if not any(one.changes for one in features.columns):
        raise InvalidData(f"{seeds.name}: no feature can be changed: all are categories, or equal in all rows")
    return replace(region, features=features)


def _around_images(region: Space, seeds: Examples) -> Space:
    """Return the region around images and other tensors, in the range of their values."""
    if isinstance(region, SNR):
        raise InvalidSetting(f"{command_text(region)} is for speech, got {seeds.name}, inputs of shape {seeds.shape}")
    if isinstance(region, Spread):
        raise InvalidSetting(f"{command_text(region)} is for tables, got {seeds.name}, inputs of shape {seeds.shape}")
    return following(region, seeds.value_range)


def _usual_of_clips(seeds: Examples, clips: Clips) -> str:
    return _WAVEFORM if clips.form == "waveform" else default_region(seeds.shape, seeds.value_range)


def _around_clips(region: Space, seeds: Examples, clips: Clips) -> Space:
    """Return the region around clips, whose padding is left alone."""
    region = following(region, seeds.value_range)
    if isinstance(region, Linf | L2):
        return replace(region, silence=clips.silence)
    if isinstance(region, Semantic | SNR) and clips.form == "waveform":
        return region
    *first, last = OF_CLIPS[clips.form]
    able = f"{', '.join(first)} or {last}"
    raise InvalidSetting(f"{seeds.name}: speech ({clips.form}) is changed within {able}, got {command_text(region)}")


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
