"""What NSATP claims, beside what its cells found."""

from collections.abc import Sequence

from unnerve.papers._ranking.cells import METRICS
from unnerve.papers._ranking.groups import Group, known_means
from unnerve.papers.nsatp.motivation import Motivation
from unnerve.studies.intervals.student import mean_ci95
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of", "observation_claim"]


def claims_of(groups: Sequence[Group]) -> list[Claim]:
    """Return the claims on which trained networks have something to say."""
    return [_decay(groups), _f_measure(groups), _best(groups)]


def _decay(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, METRICS, lambda one: one.fit.r)
    return Claim(
        "Eff falls exponentially along the order, with a correlation of at least 0.95",
        "0.96 to 0.99",
        f"{min(values):.2f} to {max(values):.2f} over 100 rank bins; {sum(v >= 0.95 for v in values)} of {len(values)}",
        mean_ci95(values, -1, 1),
        all(value >= 0.95 for value in values),
    )


def _f_measure(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, METRICS, lambda one: one.inc)
    return Claim(
        "Ranked inputs need fewer tries until the first adversary than random ones, on every network and data set",
        "Inc 79.67 % to 99.68 %",
        f"Inc {min(values):.1%} to {max(values):.1%}; positive in {sum(v > 0 for v in values)} of {len(values)}",
        mean_ci95(values, high=1),
        all(value > 0 for value in values),
    )


def _best(groups: Sequence[Group]) -> Claim:
    best = [metric for group in groups for metric, mark in group.marks.items() if mark == "Best"]
    share = best.count("pd") / max(1, len(best))
    return Claim(
        "PD is the best of the three metrics by Eff-D",
        "best on 6 of 8",
        ", ".join(f"{metric.upper()} best on {best.count(metric)}" for metric in METRICS) + f" of {len(groups)}",
        None,
        share > 0.5,
    )


def observation_claim(seen: Motivation) -> Claim:
    """Return the observation that the paper starts from."""
    pairs = ", ".join(f"{unsure}:{sure}" for unsure, sure in seen.counts)
    return Claim(
        "Of 50 inverted patches, those on an unsure digit are never fewer times effective than those on a sure one",
        "8 against 5; never fewer in ten repeats",
        f"the papers' pair {pairs}; over 100 such pairs never fewer in {seen.never_fewer:.0%}, "
        f"more in {seen.more:.0%}, fewer in {seen.fewer:.0%} of the repeats",
        None,
        all(unsure >= sure for unsure, sure in seen.counts) and seen.more > seen.fewer,
    )
