"""The answer of a campaign: how many inputs fail, how sure that is, why, and three of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.next_step import export_command, next_step
from unnerve.reports.campaign.first.why import why
from unnerve.reports.campaign.gallery import ShownFinding
from unnerve.reports.campaign.verdict import warnings
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent_between, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.regions import region_words
from unnerve.studies.hunt._region import default_share
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Answer", "answer", "exhibits"]

_EXHIBITS = 3
_SMALL = 0.25
"""A region of at most so much of the usual one is called small."""


@dataclass(frozen=True)
class Answer:
    """What stands on the first screen.

    Parameters
    ----------
    found : bool
        Whether anything was.
    figure, interval : str
        "11 of 12 images fail"; "95 %: 61.5 to 99.8 %".
    where : str
        The region in words.
    why : tuple of Phrase
    warnings : tuple of str
        What is missing from the figure.
    reason, command : str
        What to do next; the command may be empty.
    export : str
        The command that writes the findings as files; empty if there are none.
    """

    found: bool
    figure: str
    interval: str
    where: str
    why: tuple[Phrase, ...]
    warnings: tuple[str, ...]
    reason: str
    command: str
    export: str


def answer(evidence: Evidence) -> Answer | None:
    """Return the answer; None if nothing has been hunted, or if the campaigns answer several questions."""
    hunted, broken = len(evidence.seeds), int(evidence.broken.sum())
    if not hunted or len(set(evidence.tasks)) > 1:
        return None
    first = evidence.leading
    reason, command = next_step(evidence)
    deed = "fails" if hunted == 1 else "fail"
    return Answer(
        found=broken > 0,
        figure=f"{count(broken)} of {count(hunted, evidence.noun)} {deed}",
        interval=f"95 %: {percent_between(*proportion(broken, hunted).ci95)}",
        where=region_words(first.plan.region, evidence.shape),
        why=why(evidence) or _no_pass(evidence),
        warnings=warnings(evidence),
        reason=reason,
        command=command,
        export=export_command(first) if broken else "",
    )


def exhibits(findings: Sequence[ShownFinding]) -> tuple[ShownFinding, ...]:
    """Return the errors that the model is surest of, of different seeds and pairs as far as there are any."""
    surest = sorted(findings, key=lambda one: -(one.sureness or 0))
    chosen: list[ShownFinding] = []
    # Where few seeds broke, further wrong classes of one of them show more than an empty place.
    for distinct_seeds, distinct_pairs in ((True, True), (True, False), (False, True)):
        for one in surest:
            seeds = {other.original for other in chosen} if distinct_seeds else set()
            pairs = {(other.before, other.after) for other in chosen} if distinct_pairs else set()
            new = one.original not in seeds and (one.before, one.after) not in pairs and one not in chosen
            if len(chosen) < _EXHIBITS and new:
                chosen.append(one)
    return tuple(chosen)


def _no_pass(evidence: Evidence) -> tuple[Phrase, ...]:
    """Say why nothing found proves nothing, and whether the search or the region was weak."""
    plan = evidence.campaigns[0].plan
    names = sorted({method.name for method in plan.methods})
    queries = count(sum(method.counts.queries for method in evidence.methods), "queries")
    listed = Phrase(display_name(", ".join(names), 60), "name")
    if all(method.blind for method in plan.methods):
        said = f" changes inputs without looking at the model, so {queries} say little about a directed search."
    elif all(method.one_step for method in plan.methods):
        said = f" takes one step along the gradient, and says little about a search of many; it had {queries}."
    else:
        said = f" found none with {queries}. Another method, more queries or a wider region may find one."
    return (Phrase("This is not a pass. ", "figure"), listed, Phrase(said + _small(evidence)))


def _small(evidence: Evidence) -> str:
    """Say how far the region is below the usual one, if it is far below."""
    region = evidence.campaigns[0].plan.region
    if region.norm != "linf" or evidence.noun != "images" or not region.size:
        return ""
    low, high = region.value_range
    usual = default_share(evidence.shape) * (high - low)
    if region.size > _SMALL * usual:
        return ""
    return f" The region is small: {significant(region.size)} per pixel, where {significant(usual)} is usual."
