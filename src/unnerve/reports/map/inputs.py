"""The inputs that a map's report shows: what is said of each, and its picture, read from the campaign's store."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unnerve.campaign.inputs import stored_array
from unnerve.reports.map.sample import Dot
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.names import class_name, display_name, short
from unnerve.reports.parts.numbers import finite, significant
from unnerve.reports.parts.thumbnails import Thumbnail, pictured, thumbnail
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["BETWEEN", "Shown", "ShownInput", "input_shape", "shown"]

BETWEEN = "between"
"""The pattern of what has none."""

# 64 MB of float32 inputs at a time: a map of ImageNet must not read all its seeds at once.
_IN_MEMORY = 2**26
# A page of a few MB opens at once and can be sent by mail.
_PICTURES = 4_000_000


@dataclass(frozen=True)
class ShownInput:
    """One input, as the page shows it.

    Parameters
    ----------
    id, seed : str
        Its own id, and that of the seed it was made from.
    group : int
        Its group's place.
    label : int or None
        True class, as a place in the page's list; None if the data has no labels.
    predicted : int
        The answer without dropout, likewise.
    x, y : float or None
        Where its dot lies.
    pcs, vro : float or None
        What it is sorted by.
    figures : dict of str to str
        By metric.
    pattern : str
    original : int or None
        Place among the shown inputs of the seed it was made from; None for a seed.
    picture : Thumbnail or None
    """

    id: str
    seed: str
    group: int
    label: int | None
    predicted: int
    x: float | None
    y: float | None
    pcs: float | None
    vro: float | None
    figures: dict[str, str]
    pattern: str
    original: int | None
    picture: Thumbnail | None


@dataclass(frozen=True)
class Shown:
    """Inputs with their pictures, and the names of the classes that they are of."""

    inputs: tuple[ShownInput, ...]
    classes: tuple[str, ...]

    @property
    def pictures(self) -> int:
        """How many have a picture."""
        return sum(one.picture is not None for one in self.inputs)


def input_shape(found: UncertaintyMap) -> tuple[int, ...]:
    """Return the shape of an input; nothing if there is none."""
    first = found.groups["benign"].ids[:1]
    return next((array.shape for array in found.campaign.store.seeds(first).values()), ())


def shown(found: UncertaintyMap, dots: Sequence[Dot], shape: Sequence[int], room: int = _PICTURES) -> Shown:
    """Say what there is to say of the chosen inputs, and picture as many of the first as there is room for.

    Parameters
    ----------
    found : UncertaintyMap
    dots : sequence of Dot
    shape : sequence of int
        Of an input.
    room : int
        Characters for pictures.
    """
    groups = list(found.groups.values())
    met = sorted(
        {int(groups[dot.group].predicted[dot.row]) for dot in dots}
        | {int(groups[dot.group].label[dot.row]) for dot in dots} - {-1}
    )
    # Names of classes are written once and referred to by place: of ImageNet's thousand few occur.
    classes = {index: place for place, index in enumerate(met)}
    pictures = _pictures(found, dots, shape, room)
    originals = {groups[0].ids[dot.row]: place for place, dot in enumerate(dots) if dot.group == 0}
    inputs = tuple(_shown(found, dot, classes, originals, picture) for dot, picture in zip(dots, pictures, strict=True))
    return Shown(inputs, tuple(short(class_name(class_names(found.campaign), index), 200) for index in met))


def _shown(
    found: UncertaintyMap,
    dot: Dot,
    classes: dict[int, int],
    originals: dict[str, int],
    picture: Thumbnail | None,
) -> ShownInput:
    group = list(found.groups.values())[dot.group]
    figures = {metric: float(group.figures[metric][dot.row]) for metric in METRICS}
    pattern = str(found.thresholds.patterns(np.array([figures["pcs"]]), np.array([figures["vro"]]))[0])
    label = int(group.label[dot.row])
    return ShownInput(
        id=display_name(group.ids[dot.row], 120),
        seed=display_name(group.seed_ids[dot.row], 120),
        group=dot.group,
        label=None if label < 0 else classes[label],
        predicted=classes[int(group.predicted[dot.row])],
        x=dot.x,
        y=dot.y,
        pcs=finite(figures["pcs"], 6),
        vro=finite(figures["vro"], 6),
        figures={metric: significant(value) for metric, value in figures.items()},
        pattern=pattern or BETWEEN,
        original=originals.get(group.seed_ids[dot.row]) if dot.group else None,
        picture=picture,
    )


def _pictures(found: UncertaintyMap, dots: Sequence[Dot], shape: Sequence[int], room: int) -> list[Thumbnail | None]:
    if not pictured(shape):
        return [None] * len(dots)
    groups = list(found.groups.values())
    names = [groups[dot.group].ids[dot.row] for dot in dots]
    own_range = found.campaign.plan.region.value_range
    seeds = {name for name, dot in zip(names, dots, strict=True) if dot.group == 0}
    made = {
        (kind, name): thumbnail(values, own_range)
        for kind, some in (
            (True, _seeds(found.campaign, sorted(seeds), shape)),
            (False, _findings(found.campaign, {name for name, dot in zip(names, dots, strict=True) if dot.group})),
        )
        for name, values in some
    }
    chosen: list[Thumbnail | None] = []
    for name, dot in zip(names, dots, strict=True):
        picture = made.get((dot.group == 0, name))
        # What no longer fits still lowers the room, so that a smaller picture further down does not leave a gap.
        room -= 0 if picture is None else len(picture.uri)
        chosen.append(picture if room >= 0 else None)
    return chosen


def _seeds(campaign: Campaign, names: Sequence[str], shape: Sequence[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the inputs of seeds, of which only some are in memory at a time."""
    at_once = max(1, _IN_MEMORY // (4 * math.prod(shape)))
    for start in range(0, len(names), at_once):
        yield from campaign.store.seeds(names[start : start + at_once]).items()


def _findings(campaign: Campaign, names: Iterable[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield findings, of which only those of one shard are in memory at a time."""
    wanted = pa.array(sorted(names), pa.string())
    for _, table, _ in campaign.store.shards(["id", "input", "shape", "dtype"]):
        for row in table.filter(pc.is_in(table["id"], value_set=wanted)).to_pylist():
            yield row["id"], stored_array(row["input"], row["shape"], row["dtype"])
