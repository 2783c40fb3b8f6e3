"""What NSATP claims, beside what its cells found."""

from collections.abc import Sequence

from unnerve.papers._ranking.cells import METRICS
from unnerve.papers._ranking.groups import Group, known_means
from unnerve.papers._ranking.outcomes import exponential, saving
from unnerve.papers._rules import Rule, above, tallied
from unnerve.papers.nsatp.motivation import Motivation
from unnerve.studies.intervals.student import student
from unnerve.studies.reproduction import Claim, Verdict

__all__ = ["claims_of", "observation_claim"]

_DECAY = Rule(
    "Eff falls exponentially along the order, with a correlation of at least 0.95",
    "we fit a function with more than 95% correlation coefficient for each dataset on each metric",
    "IV-D, answer to Q1",
    "held if r >= 0.95 on every network, data set and metric, partly if on more than half; a case is open if its "
    "interval over training seeds holds 0.95, or if there is one seed",
)
_SAVED = Rule(
    "Ranked inputs need fewer tries until the first adversary than random ones, on every network and data set",
    "which shows NSATP is more effective than Random",
    "IV-D, answer to Q2",
    "held if Inc > 0 on every network, data set and metric, partly if on more than half; a case is open if its "
    "interval (over training seeds; over repeats of a single one) holds 0",
)
_BEST = Rule(
    "PD is the best of the three metrics by Eff-D",
    "The probability difference metric is better than the other two metrics on each image dataset and each model",
    "IV-D, A3",
    "held if PD is the steepest on every network and data set, partly if on more than half; a case is open if the "
    "interval over training seeds of its lead holds 0, or if there is one seed",
)
_OBSERVED = Rule(
    "Of 50 inverted patches, those on an unsure digit are never fewer times effective than those on a sure one",
    "the numbers of effective adversarial examples with respect to Fig. 1 (a) is always not less than that with "
    "respect to Fig. 1 (b)",
    "II-B",
    "held if never fewer in any repeat of 100 such pairs, partly if more often more than fewer",
)


def claims_of(groups: Sequence[Group]) -> list[Claim]:
    """Return the claims on which trained networks have something to say."""
    return [_decay(groups), _f_measure(groups), _best(groups)]


def _decay(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, METRICS, lambda one: one.fit.r)
    return _DECAY.decided(
        tallied(exponential(groups, METRICS)),
        "0.96 to 0.99",
        f"{min(values):.2f} to {max(values):.2f} over 100 rank bins; {sum(v >= 0.95 for v in values)} of {len(values)}",
    )


def _f_measure(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, METRICS, lambda one: one.inc)
    return _SAVED.decided(
        tallied(saving(groups, METRICS)),
        "Inc 79.67 % to 99.68 %",
        f"Inc {min(values):.1%} to {max(values):.1%}; positive in {sum(v > 0 for v in values)} of {len(values)}",
    )


def _best(groups: Sequence[Group]) -> Claim:
    best = [metric for group in groups for metric, mark in group.marks.items() if mark == "Best"]
    return _BEST.decided(
        tallied(_steepest(group) for group in groups),
        "best on 6 of 8",
        ", ".join(f"{metric.upper()} best on {best.count(metric)}" for metric in METRICS) + f" of {len(groups)}",
    )


def _steepest(group: Group) -> bool | None:
    leads = []
    for cell in group.cells:
        slopes = {metric: cell.proof.scores[metric].fit.b for metric in METRICS}
        pd, others = slopes.pop("pd"), [slope for slope in slopes.values() if slope is not None]
        if pd is not None and others:
            leads.append(pd - max(others))  # within a trained network, as the metrics rank the same inputs
    return above(student(leads), 0) if leads else None


def observation_claim(seen: Motivation) -> Claim:
    """Return the observation that the paper starts from."""
    pairs = ", ".join(f"{unsure}:{sure}" for unsure, sure in seen.counts)
    tendency: Verdict = "partly" if seen.more > seen.fewer else "not held"
    return _OBSERVED.decided(
        "held" if seen.fewer == 0 else tendency,
        "8 against 5; never fewer in ten repeats",
        f"the papers' pair {pairs}; over 100 such pairs never fewer in {seen.never_fewer:.0%}, "
        f"more in {seen.more:.0%}, fewer in {seen.fewer:.0%} of the repeats",
    )
