"""What the page of a comparison says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

import numpy as np

from unnerve.reports.campaign.comparison.seeds import Comparison
from unnerve.reports.campaign.comparison.words import (
    MOST_IDS,
    doubts,
    headline,
    model_names,
    next_command,
    tone,
    why,
)
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.gallery import ShownFinding, gallery
from unnerve.reports.parts.commands import command_line, shown_command
from unnerve.reports.parts.names import display_name, printable, short
from unnerve.reports.parts.numbers import count, percent, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.regions import change_text, norm_name, region_words
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.reports.parts.thumbnails import Thumbnail

__all__ = ["ComparisonPage", "Pair", "SeedGroup", "comparison_page"]

_ROWS = 300


@dataclass(frozen=True)
class Pair:
    """One seed with what either model was made to answer; None where nothing was found."""

    seed: str
    original: Thumbnail | None
    old: ShownFinding | None
    new: ShownFinding | None


@dataclass(frozen=True)
class SeedGroup:
    """Seeds of one fate: a title, what it means, how many, and the first of them."""

    anchor: str
    title: str
    note: str
    total: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Side:
    """One model's bar: name, figure and where the bar and its whiskers end, in per cent."""

    name: str
    figure: str
    interval: str
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class ComparisonPage:
    """All that the page shows, in its order; text is printable but not escaped."""

    subject: str
    where: str
    date: str
    tone: str
    headline: tuple[Phrase, ...]
    why: str
    doubts: tuple[str, ...]
    sides: tuple[Side, Side]
    groups: tuple[SeedGroup, ...]
    held: int
    classes: tuple[str, ...]
    short_classes: tuple[str, ...]
    next_command: str
    table: Table
    table_note: str
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str


def comparison_page(found: Comparison, date: str) -> ComparisonPage:
    """Turn a comparison into the values of its page."""
    both = evidence([found.old, found.new])
    nearest = _nearest(both)
    groups = _groups(found, both, nearest)
    lines = [shown_command(None, one.provenance, one.store.path) for one in (found.old, found.new)]
    old, new = model_names(found)
    changed = [*found.worse, *found.still, *found.fixed]
    return ComparisonPage(
        subject=f"{old} \u2192 {new}",
        where=region_words(found.new.plan.region, both.shape),
        date=date,
        tone=tone(found),
        headline=headline(found, both.noun),
        why=why(found),
        doubts=doubts(found, both.noun),
        sides=(_side(found, old, new=False), _side(found, new, new=True)),
        groups=groups,
        held=len(found.held),
        classes=tuple(short(name, 200) for name in both.classes),
        short_classes=tuple(short(name, 18) for name in both.classes),
        next_command=next_command(found),
        table=_table(found, both, nearest, changed[:_ROWS]),
        table_note=f"The first {count(_ROWS)} of {count(len(changed), 'seeds')}." if len(changed) > _ROWS else "",
        facts=(
            ("Old campaign", printable(found.old.store.path)),
            ("New campaign", printable(found.new.store.path)),
            ("Methods", ", ".join(display_name(one.text, 60) for one in found.new.plan.methods)),
            ("Report made", date),
        ),
        command=_commands(found, [line for line, _ in lines if line]),
        command_note=" ".join(dict.fromkeys(note for _, note in lines if note)),
    )


def _commands(found: Comparison, lines: list[str]) -> str:
    """Return the lines that repeat both runs, and one that compares what they make."""
    if len(lines) == 2:
        again = [f"{one.store.path}-again" for one in (found.old, found.new)]
        lines = [*lines, command_line(["unnerve", "report", *again])]
    return "\n".join(lines)


def _side(found: Comparison, name: str, *, new: bool) -> Side:
    share = found.share(new)
    low, high = share.ci95
    failed = len(found.still) + len(found.worse if new else found.fixed)
    figure = f"{count(failed)}, {percent(share.mean)}"
    return Side(name, figure, percent_between(low, high), 100 * share.mean, 100 * low, 100 * high)


def _nearest(both: Evidence) -> dict[tuple[int, str], int]:
    """Return the finding with the smallest change of every (campaign, seed)."""
    found = both.found
    campaign = np.array([number for number, _ in both.shards], dtype=int)[found.shard] if len(found) else found.shard
    nearest: dict[tuple[int, str], int] = {}
    for place in np.lexsort((found.change, found.reach))[::-1].tolist():
        nearest[int(campaign[place]), both.seeds[found.seed[place]][1]] = place  # the smallest comes last, and stays
    return nearest


def _smallest_changes(both: Evidence) -> dict[tuple[int, str], float]:
    """Return the smallest change known to break every (campaign, seed), in the region's norm."""
    # Two models are two tasks, in the order of their campaigns.
    return dict(zip(both.seeds, both.smallest_changes().tolist(), strict=True))


def _groups(found: Comparison, both: Evidence, nearest: dict[tuple[int, str], int]) -> tuple[SeedGroup, ...]:
    smallest = _smallest_changes(both)
    kinds = (
        ("worse", "Newly broken", "The old model held on them.", found.worse, (1,)),
        ("still", "Still broken", "Both models fail on them.", found.still, (0, 1)),
        ("fixed", "Fixed", "The old model failed on them; the same search finds nothing any more.", found.fixed, (0,)),
    )
    chosen: list[tuple[str, int]] = []
    shown: dict[str, list[str]] = {}
    for anchor, _, _, seeds, sides in kinds:
        known = [name for name in seeds if all((side, name) in nearest for side in sides)]
        shown[anchor] = sorted(known, key=lambda name: smallest[sides[-1], name])[:MOST_IDS]
        chosen += [(name, side) for name in shown[anchor] for side in sides]
    places = np.array([nearest[side, name] for name, side in chosen], dtype=np.int64)
    made = gallery(both, places)
    # Not strict: the gallery ends earlier where the page has no more room for pictures.
    by_seed = dict(zip(chosen, made.findings, strict=False))
    return tuple(
        SeedGroup(
            anchor,
            title,
            note,
            len(seeds),
            tuple(_pair(name, by_seed, made.originals) for name in shown[anchor] if (name, sides[-1]) in by_seed),
        )
        for anchor, title, note, seeds, sides in kinds
    )


def _pair(name: str, findings: dict[tuple[str, int], ShownFinding], originals: tuple[Thumbnail | None, ...]) -> Pair:
    old, new = findings.get((name, 0)), findings.get((name, 1))
    one = new or old
    assert one is not None, "a seed is shown only with a finding"
    return Pair(display_name(name, 60), originals[one.original], old, new)


def _table(found: Comparison, both: Evidence, nearest: dict[tuple[int, str], int], seeds: list[str]) -> Table:
    fates = {name: word for word, names in _fates(found) for name in names}
    region, smallest = found.new.plan.region, _smallest_changes(both)
    rows = tuple(
        (
            text_cell(name, 60),
            Cell(fates[name], key=fates[name]),
            *(cell for side in (0, 1) for cell in _answer(both, nearest.get((side, name)), smallest.get((side, name)))),
        )
        for name in seeds
    )
    change = f"smallest change that breaks it, {norm_name(region)}"
    columns = (("seed", ""), ("fate", ""), ("old answer", ""), ("old", change), ("new answer", ""), ("new", change))
    return Table("Every seed on which a model fails", columns, rows)


def _fates(found: Comparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("newly broken", found.worse), ("still broken", found.still), ("fixed", found.fixed))


def _answer(both: Evidence, place: int | None, change: float | None) -> tuple[Cell, Cell]:
    if place is None:
        return Cell("held", key="held"), Cell("-")
    region = both.campaigns[0].plan.region
    return text_cell(both.classes[int(both.found.after[place])], 28), Cell(change_text(change, region), key=change)
