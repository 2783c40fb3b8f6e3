"""The findings that a report shows: what is said of each, and its pictures."""

import base64
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.clips import Clips
from unnerve.core.facts import RegionFacts
from unnerve.reports.campaign.changed_values import changed_values
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.heat_map import heat_map
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.names import class_name, display_name, printable
from unnerve.reports.parts.numbers import confidence, count, finite, significant
from unnerve.reports.parts.regions import change_text, norm_name, pixels, radius_text
from unnerve.reports.parts.sounds.clip_pictures import clip_change, clip_picture, drawn_as_clip
from unnerve.reports.parts.thumbnails import Thumbnail, pictured, thumbnail

__all__ = ["Gallery", "ShownFinding", "gallery", "picture"]

_IN_MEMORY = 2**26
_DECIMALS = 7
"""Of a change: findings on the edge of a region differ behind them only by rounding."""
_PICTURES = 3_500_000
"""Characters; with the packed chart library and the figures a page stays below 6 MB."""


@dataclass(frozen=True)
class ShownFinding:
    """One finding, as the page shows it.

    ``original`` and ``method`` are the places of its seed's picture and of its method among those of the page.
    ``change`` (in the norm of the page, as text ``reach``) and ``sureness`` (confidence in the wrong answer) are what
    it is sorted by; None is unknown. ``quieter`` is how far below its clip the change is, in dB; empty where the region
    is not in dB.
    ``input`` is its values, float32 in base64, to be taken from the page; empty where there is no room for them.
    """

    id: str
    seed: str
    label: str | None
    before: int
    after: int
    confidence_before: str
    confidence_after: str
    sureness: float | None
    change: float | None
    reach: str
    l0: str
    l2: str
    linf: str
    method: int
    step: int
    queries: int
    margin: str
    file: str
    original: int
    found: Thumbnail | None
    difference: Thumbnail | None
    scale: str
    values: str
    input: str = ""
    quieter: str = ""


@dataclass(frozen=True)
class Gallery:
    """Findings of one shape with their pictures; those that start from one seed share its picture.

    ``norm`` is what their changes are measured in: the region's own, L2 where campaigns have several.
    """

    findings: tuple[ShownFinding, ...]
    originals: tuple[Thumbnail | None, ...]
    shape: tuple[int, ...] = ()
    norm: str = "L2"


def gallery(evidence: Evidence, chosen: np.ndarray) -> Gallery:
    """Read the chosen findings and picture them, as many as there is room for in the page."""
    findings: list[ShownFinding] = []
    inputs: list[bytes] = []
    originals: dict[tuple[int, str], tuple[int, Thumbnail | None]] = {}
    room = _PICTURES
    for number, row, seed in _read(evidence, chosen):
        place = int(chosen[number])
        campaign = evidence.shards[evidence.found.shard[place]][0]
        value_range = evidence.campaigns[campaign].plan.region.value_range
        # Findings of many methods start from one seed: its picture stands in the page once.
        key = (evidence.tasks[campaign], str(row["seed_id"]))
        if key not in originals:
            clips = evidence.campaigns[campaign].clips
            originals[key] = (len(originals), picture(seed, value_range, clips))
            room -= _size(originals[key][1])
        one = _shown(evidence, place, row, seed, value_range, originals[key][0])
        room -= _size(one.found) + _size(one.difference)
        # They come in the order of interest, so what is left out is the least of them.
        if room < 0:
            break
        findings.append(one)
        # Pictures come first: the values get what room these leave, and are kept no longer than they can have it.
        inputs += [row["input"]] if sum(map(len, inputs)) < _PICTURES else []
    pictures = tuple(one for _, one in originals.values())
    norms = {norm_name(one.plan.region) for one in evidence.campaigns}
    norm = norms.pop() if len(norms) == 1 else "L2"
    return Gallery(_with_inputs(findings, inputs, room), pictures, evidence.shape, norm)


def _with_inputs(findings: list[ShownFinding], inputs: list[bytes], room: int) -> tuple[ShownFinding, ...]:
    """Give findings their values, the first ones first, as far as there is room in the page."""
    texts = [base64.b64encode(one).decode() for one in inputs]
    # The first ones only: with holes between them nobody could tell why one finding can be copied and the next cannot.
    fitting = int(np.searchsorted(np.cumsum([len(text) for text in texts]), room, side="right"))
    given = dict(enumerate(texts[:fitting]))
    return tuple(replace(one, input=given.get(place, "")) for place, one in enumerate(findings))


def _read(evidence: Evidence, chosen: np.ndarray) -> Iterator[tuple[int, dict[str, Any], np.ndarray | None]]:
    """Yield every chosen finding with its seed's input, in the order of choice, and only a few at a time in memory."""
    at_once = max(1, _IN_MEMORY // max(1, 4 * math.prod(evidence.shape)))
    for start in range(0, len(chosen), at_once):
        part = chosen[start : start + at_once]
        rows: dict[int, dict[str, Any]] = {}
        for number in np.unique(evidence.found.shard[part]).tolist():
            campaign, shard = evidence.shards[number]
            mine = np.flatnonzero(evidence.found.shard[part] == number)
            wanted = evidence.found.row[part[mine]].tolist()
            # Only these rows: a shard of photos has gigabytes, and the page a few hundred findings.
            table, _ = evidence.campaigns[campaign].store.read(shard, rows=wanted)
            rows.update(zip(mine.tolist(), table.to_pylist(), strict=True))
        seeds = _seeds(evidence, part, rows)
        for place in range(len(part)):
            campaign = evidence.shards[evidence.found.shard[part[place]]][0]
            yield start + place, rows[place], seeds.get((campaign, rows[place]["seed_id"]))


def _seeds(evidence: Evidence, part: np.ndarray, rows: Mapping[int, Mapping[str, Any]]) -> dict[Any, np.ndarray]:
    wanted: dict[int, set[str]] = {}
    for place, row in rows.items():
        wanted.setdefault(evidence.shards[evidence.found.shard[part[place]]][0], set()).add(row["seed_id"])
    return {
        (campaign, name): array
        for campaign, names in wanted.items()
        for name, array in evidence.campaigns[campaign].store.seeds(names).items()
    }


def _shown(
    evidence: Evidence,
    place: int,
    row: Mapping[str, Any],
    seed: np.ndarray | None,
    value_range: tuple[float, float],
    original: int,
) -> ShownFinding:
    found, campaign = evidence.found, evidence.campaigns[evidence.shards[evidence.found.shard[place]][0]]
    alike = len({norm_name(one.plan.region) for one in evidence.campaigns}) == 1
    distance = float(found.reach[place] if alike else found.change[place])
    values = stored_array(row["input"], row["shape"], str(row["dtype"]))
    # A seed that is missing or of another shape, in a folder of a stranger, leaves the finding without a change.
    change = None if seed is None or seed.shape != values.shape else values - seed
    heat, scale = _difference(change, campaign.plan.region)
    if seed is not None and campaign.clips is not None and drawn_as_clip(campaign.clips, values.shape):
        heat = clip_change(values, seed, campaign.clips)
    return ShownFinding(
        id=printable(str(row["id"])),
        seed=display_name(str(row["seed_id"]), 120),
        label=None if row["label"] is None else class_name(class_names(campaign), int(row["label"])),
        before=int(found.before[place]),
        after=int(found.after[place]),
        confidence_before=confidence(row["confidence_before"]),
        confidence_after=confidence(row["confidence_after"]),
        sureness=finite(row["confidence_after"]),
        change=finite(distance, _DECIMALS),
        reach=change_text(distance, campaign.plan.region) if alike else significant(distance),
        l0=f"{count(row['l0'])} of {count(pixels(values.shape), 'pixels' if pictured(values.shape) else 'values')}",
        l2=significant(row["l2"]),
        linf=significant(row["linf"]),
        method=int(found.method[place]),
        step=int(row["step"]),
        queries=int(row["queries"]),
        margin=significant(row["margin"]),
        file=f"{printable(campaign.store.path)}/shards/{evidence.shards[found.shard[place]][1].name}.parquet",
        original=original,
        found=picture(values, value_range, campaign.clips),
        difference=heat,
        scale=scale,
        quieter="" if seed is None or change is None else _quieter(change, seed, campaign.plan.region),
        values=""
        if pictured(values.shape) or change is None or seed is None or campaign.clips
        else changed_values(seed, values, campaign.features),
    )


def _quieter(change: np.ndarray, seed: np.ndarray, region: RegionFacts) -> str:
    """Return a change in the unit of a region in dB, as the figures above the gallery are."""
    lengths = [float(np.linalg.norm(one.astype(np.float64))) for one in (seed, change)]
    if region.decibels is None or not min(lengths) > 0 or not math.isfinite(max(lengths)):
        return ""
    return f"{significant(20 * math.log10(lengths[0] / lengths[1]))} dB"


def picture(values: np.ndarray | None, value_range: tuple[float, float], clips: Clips | None) -> Thumbnail | None:
    """Return a picture of an input; None if it cannot be drawn."""
    if values is not None and clips is not None and drawn_as_clip(clips, values.shape):
        return clip_picture(values, clips)
    return None if values is None or not pictured(values.shape) else thumbnail(values, value_range)


def _difference(change: np.ndarray | None, region: RegionFacts) -> tuple[Thumbnail | None, str]:
    """Return how much each pixel changed as a heat map, and what its brightest colour stands for.

    The scale ends at the radius where that bounds each pixel, so that findings can be compared; else at the finding's
    own largest change.
    """
    if change is None or not pictured(change.shape):
        return None, ""
    bounded = region.norm == "linf" and region.size is not None
    most = float(region.size or 0) if bounded else float(np.abs(change).max())
    return thumbnail(heat_map(change, most), (0.0, 1.0)), radius_text(most) if bounded else significant(most)


def _size(drawn: Thumbnail | None) -> int:
    return 0 if drawn is None else len(drawn.uri) + len(drawn.sound)
