"""One line on why a model failed: weakest class, most frequent confusion, smallest change."""

import numpy as np
from scipy.stats import fisher_exact

from unnerve.core.naming.command_text import number_text
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.decibels import decibels_below
from unnerve.reports.parts.names import short
from unnerve.reports.parts.numbers import count, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.regions import change_text, radius_text
from unnerve.reports.parts.thumbnails import pictured

__all__ = ["confusion", "smallest_change", "weakest_class", "why"]

_LEVEL = 0.05
_EDGE = 0.99


def why(evidence: Evidence) -> tuple[Phrase, ...]:
    """Return what is known of the reasons, as one line; empty if nothing was found."""
    if not len(evidence.found):
        return ()
    parts: list[tuple[Phrase, ...]] = []
    weakest = weakest_class(evidence)
    if weakest is not None:
        place, broken, seeds = weakest
        parts.append((Phrase("Weakest class: "), _name(evidence, place), Phrase(f", {broken} of {seeds} fail. ")))
    pair = confusion(evidence)
    if pair is not None:
        before, after, times, broken = pair
        both = Phrase(f"{_name(evidence, before).text} \u2192 {_name(evidence, after).text}", "figure")
        share = f"{count(times)} of the {count(broken)}"
        if times == broken:
            share = "both" if broken == 2 else f"all {count(broken)}"
        which = f", {share} failing {evidence.noun} of class {_name(evidence, before).text}. "
        parts.append((Phrase("Most frequent confusion: "), both, Phrase(which)))
    parts.append(smallest_change(evidence))
    return tuple(phrase for part in parts for phrase in part)


def weakest_class(evidence: Evidence) -> tuple[int, int, int] | None:
    """Return the class that breaks most often, with its seeds broken and hunted; None unless it stands apart.

    It stands apart if Fisher's exact test of its seeds against all others falls below 5 %, divided by the number of
    classes: the weakest of ten is looked for among ten.
    """
    known = evidence.truths >= 0
    classes = np.unique(evidence.truths[known])
    if len(classes) < 2:
        return None
    of_class = [evidence.broken[evidence.truths == one] for one in classes]
    place = int(np.argmax([mine.mean() for mine in of_class]))
    mine, others = of_class[place], evidence.broken[known & (evidence.truths != classes[place])]
    table = [[int(group.sum()), int((~group).sum())] for group in (mine, others)]
    if fisher_exact(table, alternative="greater")[1] * len(classes) >= _LEVEL:
        return None
    return int(classes[place]), int(mine.sum()), len(mine)


def confusion(evidence: Evidence) -> tuple[int, int, int, int] | None:
    """Return the pair met most often among the smallest changes of each seed: before, after, its seeds, of how many.

    The smallest change alone counts: a method that visits every class would make all pairs equally frequent. None if
    no pair is met twice, or if two are met equally often.
    """
    found = evidence.found
    order = np.lexsort((found.change, found.reach, found.seed))
    first = order[np.r_[True, np.diff(found.seed[order]) > 0]]
    pairs, times = np.unique(np.stack([found.before[first], found.after[first]]), axis=1, return_counts=True)
    top = int(times.argmax())
    if times[top] < 2 or (times == times[top]).sum() > 1:
        return None
    before, after = (int(one) for one in pairs[:, top])
    return before, after, int(times[top]), int((found.before[first] == before).sum())


def smallest_change(evidence: Evidence) -> tuple[Phrase, ...]:
    """Return the median over broken seeds of the smallest change found, in what the region's size is measured in."""
    region, smallest = evidence.campaigns[0].plan.region, evidence.smallest_changes()
    broken = smallest[np.isfinite(smallest)]
    if not len(broken):
        return ()
    median = float(np.median(broken))
    if region.norm == "linf" and region.size is not None:
        unit = "pixel" if pictured(evidence.shape) else "value"
        allowed = radius_text(region.size)
        if median >= _EDGE * region.size:
            # Methods that search on the edge, such as PGD, say nothing about smaller changes.
            return (Phrase(f"Half of the failures or more were found only at the full \u00b1{allowed} per {unit}."),)
        words = f" per {unit} (L\u221e), of {allowed} allowed."
        return (Phrase("Median smallest change: "), Phrase(change_text(median, region), "figure"), Phrase(words))
    if region.decibels is not None:
        quieter = float(np.median(decibels_below(evidence, smallest)[np.isfinite(smallest)]))
        words = f" below the clip, where {number_text(region.decibels)} dB are allowed."
        return (Phrase("Median smallest change: "), Phrase(f"{significant(quieter)} dB", "figure"), Phrase(words))
    name = {"l0": "L0", "l2": "L2"}.get(region.norm or "l2", region.norm)
    limit = f", of {radius_text(region.size)} allowed" if region.norm == "l2" and region.size is not None else ""
    return (
        Phrase("Median smallest change: "),
        Phrase(f"{name} {change_text(median, region)}", "figure"),
        Phrase(f"{limit}."),
    )


def _name(evidence: Evidence, place: int) -> Phrase:
    return Phrase(short(evidence.classes[place], 28), "figure")
