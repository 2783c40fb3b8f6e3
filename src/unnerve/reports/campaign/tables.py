"""All figures of a campaign, as cells that can be shown and sorted."""

from collections.abc import Callable
from functools import partial

import numpy as np

from unnerve.reports.campaign.cards import failing
from unnerve.reports.campaign.compared_methods import ComparedMethod, unlike
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.decibels import decibels_below
from unnerve.reports.parts.names import display_name, short
from unnerve.reports.parts.numbers import between, count, percent_between, significant
from unnerve.reports.parts.regions import change_text, norm_name
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["class_table", "difference_table", "failed_table", "method_table"]

_MOST = 200


def method_table(evidence: Evidence) -> Table:
    """Return what every method found and spent."""
    columns = (
        ("method", ""),
        (failing(evidence), "share, 95 % interval"),
        ("kinds of errors", "per seed, 95 % interval"),
        ("errors", "per seed, 95 % interval"),
        ("failing picks", "errors as the papers count them"),
        ("queries", "per seed"),
        ("queries per error", ""),
        ("seconds", "per 1,000 queries"),
        ("not hunted", "seeds that failed"),
    )
    rows = tuple(_method_row(method) for method in evidence.methods)
    untried = tuple(
        (text_cell(label, 60), Cell("-", str(one)), *[Cell("-")] * (len(columns) - 2))
        for label, one in evidence.shortages.items()
    )
    order = "campaigns that are unlike one after the other" if unlike(evidence.campaigns) else ""
    caption = "What each method found, those that broke more seeds first"
    return Table(f"{caption}; {order}" if order else caption, columns, rows + untried)


def difference_table(evidence: Evidence) -> Table | None:
    """Return every two methods compared; None if there is only one."""
    if not evidence.differences:
        return None
    columns = (
        ("comparison", "first minus second"),
        (failing(evidence), "percentage points"),
        ("kinds of errors", "per seed"),
        ("errors", "per seed"),
    )
    rows = tuple(
        (
            Cell(
                f"{display_name(one.better, 60)} over {display_name(one.other, 60)}",
                key=f"{display_name(one.better, 60)} {display_name(one.other, 60)}",
            ),
            _difference(one.seeds_broken, 100),
            _difference(one.error_categories),
            _difference(one.errors),
        )
        for one in evidence.differences
    )
    caption = "How sure the differences are: mean over the seeds that both hunted, 95 % interval"
    return Table(caption, columns, rows)


def class_table(evidence: Evidence) -> Table | None:
    """Return what became of the seeds of each class; None if nothing was found."""
    found = evidence.found
    if not len(found):
        return None
    region = evidence.campaigns[0].plan.region
    smallest, measure = evidence.smallest_changes(), norm_name(region)
    shown: Callable[[float | None], str] = partial(change_text, region=region)
    if region.decibels is not None:
        smallest, measure, shown = decibels_below(evidence, smallest), "dB below the clip", significant
    columns = (
        ("class", ""),
        ("seeds", "hunted"),
        (failing(evidence), "share, 95 % interval"),
        ("kinds of errors", ""),
        ("errors", ""),
        ("most often taken for", "seeds"),
        ("smallest change", f"{measure}, median over those that fail"),
    )
    known = evidence.truths[evidence.truths >= 0]
    met = np.unique(np.concatenate([known, found.before]))
    rows = [_class_row(evidence, int(one), smallest, shown) for one in met]
    rows.sort(key=lambda row: -float(row[2].key or 0))
    left = f"; {_MOST} of {count(len(rows))} shown" if len(rows) > _MOST else ""
    return Table(f"By class before the change, whatever the method{left}", columns, tuple(rows[:_MOST]))


def failed_table(evidence: Evidence) -> Table | None:
    """Return the seeds that could not be hunted, with reasons; None if there are none."""
    failed = [(method, seed) for method in evidence.methods for seed in method.tally.seeds if seed.failed is not None]
    if not failed:
        return None
    rows = tuple(
        (
            text_cell(seed.id, 80),
            text_cell(method.label, 60),
            text_cell(str(seed.failed), 300),
        )
        for method, seed in failed[:_MOST]
    )
    left = f"; the first {_MOST} of {count(len(failed))}" if len(failed) > _MOST else ""
    columns = (("seed", ""), ("method", ""), ("reason", ""))
    return Table(f"Seeds that could not be hunted{left}", columns, rows)


def _method_row(method: ComparedMethod) -> tuple[Cell, ...]:
    counts = method.counts
    broken = method.intervals.get("seeds_broken")
    per_seed = counts.queries / counts.inputs if counts.inputs else None
    per_error = counts.queries / counts.errors if counts.errors else None
    pace = 1000 * method.seconds / counts.queries if counts.queries else None
    return (
        text_cell(method.label, 60),
        Cell(
            f"{count(counts.seeds_broken)} of {count(counts.inputs)}",
            percent_between(*broken.ci95) if broken else "",
            broken.mean if broken else None,
        ),
        _each(counts.error_categories, method.intervals.get("error_categories")),
        _each(counts.errors, method.intervals.get("errors")),
        Cell(count(counts.errors_as_in_paper), key=counts.errors_as_in_paper),
        Cell(count(counts.queries), significant(per_seed), counts.queries),
        Cell(significant(per_error), key=per_error),
        Cell(significant(method.seconds), significant(pace), method.seconds),
        Cell(count(counts.failed), key=counts.failed),
    )


def _each(total: int, interval: Interval | None) -> Cell:
    more = "" if interval is None else f"{significant(interval.mean)} ({between(*interval.ci95)})"
    return Cell(count(total), more, total)


def _difference(interval: Interval, unit: float = 1) -> Cell:
    apart = not interval.low <= 0 <= interval.high
    sign = "+" if interval.mean > 0 else ""
    ends = between(unit * interval.low, unit * interval.high)
    verdict = "significant" if apart else "not significant"
    return Cell(f"{sign}{significant(unit * interval.mean)}", f"{ends}, {verdict}", interval.mean, apart)


def _class_row(
    evidence: Evidence, one: int, smallest: np.ndarray, shown: Callable[[float | None], str]
) -> tuple[Cell, ...]:
    mine = evidence.found.before == one
    pairs = np.unique(np.stack([evidence.found.seed[mine], evidence.found.after[mine]]), axis=1)
    broken = np.unique(pairs[0])
    seeds = int((evidence.truths == one).sum())
    # Of several tasks the same input may be there more than once: then a share over all has no interval.
    share = proportion(len(broken), seeds) if seeds and len(set(evidence.tasks)) == 1 else None
    taken, times = np.unique(pairs[1], return_counts=True)
    most = int(times.argmax()) if len(times) else None
    known = smallest[broken][np.isfinite(smallest[broken])]
    median = float(np.median(known)) if len(known) else None
    return (
        Cell(short(evidence.classes[one], 60), key=one),
        Cell(count(seeds) if seeds else "-", key=seeds or None),
        Cell(
            f"{count(len(broken))} of {count(seeds)}" if seeds else count(len(broken)),
            "" if share is None else percent_between(*share.ci95),
            len(broken) / seeds if seeds else len(broken),
        ),
        Cell(count(pairs.shape[1]), key=pairs.shape[1]),
        Cell(count(int(mine.sum())), key=int(mine.sum())),
        Cell("-") if most is None else _taken(evidence.classes[int(taken[most])], int(times[most])),
        Cell(shown(median), key=median),
    )


def _taken(name: str, times: int) -> Cell:
    return Cell(short(name, 60), count(times, "seeds"), times)
