"""A campaign's story in about ten lines for a terminal."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from unnerve.reports.campaign.compared_methods import ComparedMethod
from unnerve.reports.campaign.coverage import gain_text
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.first.next_step import alike_step, next_step
from unnerve.reports.campaign.glossary import budget_words, seeds_words
from unnerve.reports.campaign.verdict import caveats, verdicts
from unnerve.reports.parts.commands import shown_command
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import between, count, duration, percent, percent_between, significant
from unnerve.reports.parts.text_table import aligned
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["campaign_text", "campaigns_text"]

_METHODS = 8
_DROPPED = (5, 3, 4, 6, 2)
"""Columns that a narrow terminal goes without, in this order: time, errors, queries, distance behind, kinds."""


def campaign_text(
    campaign: Campaign, report_path: str | Path | None = None, width: int | None = None, again: bool = False
) -> str:
    """Tell what a campaign found in plain text.

    Parameters
    ----------
    campaign : Campaign
    report_path : path, optional
        Where the HTML report is; without it, the next step is to write it.
    width : int, optional
        Of the terminal: where a table is wider, its least important columns are left out.
    again : bool
        Whether the command that repeats the campaign is told; at the end of the run itself it was just typed.

    Returns
    -------
    str
        About ten lines without markup or control characters.
    """
    found = evidence([campaign])
    lines = _told(campaign, found, width, again)
    if report_path is None:
        lines.append(f"Next: unnerve report {shlex.quote(printable(campaign.store.path))}")
    else:
        lines += _ending(report_path, next_step(found)[1])
    return _plain(lines)


def campaigns_text(campaigns: Sequence[Campaign], report_path: str | Path, width: int | None = None) -> str:
    """Tell one campaign after the other, how each is repeated, and once where their page is and what to do next."""
    if len(campaigns) == 1:
        return campaign_text(campaigns[0], report_path, width, again=True)
    every = evidence(campaigns)
    lines = [line for one in campaigns for line in (*_told(one, evidence([one]), width, again=True), "")]
    following = alike_step(every).command if len(set(every.tasks)) > 1 else next_step(every)[1]
    return _plain([*lines, *_ending(report_path, following)])


def _ending(report_path: str | Path, following: str) -> list[str]:
    return [f"Report: {printable(str(report_path))}", *([f"Next: {following}"] if following else [])]


def _plain(lines: list[str]) -> str:
    # Pages have the sign; not every terminal's encoding does, and printing it there would raise.
    return "\n".join(lines).replace("\u00b1", "+-")


def _told(campaign: Campaign, found: Evidence, width: int | None, again: bool) -> list[str]:
    (verdict,) = verdicts(found)
    said = caveats(found)
    right = campaign.accuracy
    # Doubts about the answers stand above the figures that they make doubtful.
    loud = 0 if right is None else len(right.doubts)
    lines = [
        *said[:loud],
        "".join(phrase.text for phrase in verdict),
        " ".join(said[loud : loud + 2]),
        *said[loud + 2 :],
        *([f"{text} answers."] if right is not None and (text := right.text()) else []),
        "",
        *([*_table(found, width), ""] if found.methods else []),
        *_coverage(found, campaign),
    ]
    lines += [f"{_setting(found, campaign)}.", f"Campaign: {printable(campaign.store.path)}"]
    if again:
        line, why_none = shown_command(None, campaign.provenance, campaign.store.path)
        lines.append(f"Again: {line}" if line else why_none)
    return lines


def _table(found: Evidence, width: int | None) -> list[str]:
    shown = found.methods[:_METHODS]
    broken, kinds, errors = found.finding_words
    rows = [("method", broken, kinds, errors, "queries", "time"), *(_row(method) for method in shown)]
    if len(found.methods) > 1:
        behind = ["behind the best", *(_behind(found, method) for method in shown)]
        rows = [(*row, last) for row, last in zip(rows, behind, strict=True)]
    return [*aligned(rows, width, [one for one in _DROPPED if one < len(rows[0])]), *_left_out(found)]


def _coverage(found: Evidence, campaign: Campaign) -> list[str]:
    """Return what the findings add to the coverage of the seeds; nothing if that was not measured."""
    gains = campaign.coverage
    if gains is None:
        return []
    criteria = gains.criteria.values()
    alone = [count(gain.alone) if gain.total is None else percent(gain.value()) for gain in criteria]
    rows = [("coverage", *(printable(key) for key in gains.criteria)), ("seeds alone", *alone)]
    for method in found.methods[:_METHODS]:
        added = [gain_text(gain, method.tally.method) for gain in criteria]
        rows.append((f"+ {display_name(method.label, 40)}", *added))
    return [*aligned(rows), *_left_out(found), ""]


def _left_out(found: Evidence) -> list[str]:
    left_out = len(found.methods) - len(found.methods[:_METHODS])
    return [f"  and {left_out} more in the report"] if left_out else []


def _row(method: ComparedMethod) -> tuple[str, ...]:
    counts, broken = method.counts, method.intervals.get("seeds_broken")
    interval = f" ({percent_between(*broken.ci95)})" if broken else ""
    return (
        display_name(method.label, 40),
        f"{count(counts.seeds_broken)} of {count(counts.inputs)}{interval}",
        count(counts.error_categories),
        count(counts.errors),
        count(counts.queries),
        duration(method.seconds),
    )


def _behind(found: Evidence, method: ComparedMethod) -> str:
    """Return by how many points of seeds broken a method is behind the best, with the interval."""
    best = found.methods[0].label
    apart = [one.seeds_broken for one in found.differences if (one.better, one.other) == (best, method.label)]
    if not apart:
        return ""
    points, low, high = (100 * value for value in (apart[0].mean, *apart[0].ci95))
    return f"{significant(points)} points ({between(low, high)})"


def _setting(found: Evidence, campaign: Campaign) -> str:
    plan = campaign.plan
    seeds = seeds_words(plan, found.noun, 60)
    return f"{seeds}, {printable(plan.region.text)}, {budget_words(campaign)}, seed {plan.seed}"
