"""What NSATP claims, beside what its cells found."""

from collections.abc import Sequence

import numpy as np

from unnerve.papers._ranking.cells import METRICS, SCORES
from unnerve.papers._ranking.groups import Group
from unnerve.papers._ranking.outcomes import correlated, exponential, falling, lead, saving
from unnerve.papers._ranking.ranked import FITS, Ranked
from unnerve.papers._rules import BEYOND, COUNTED, Rule, above, tallied
from unnerve.papers.nsatp.motivation import Motivation
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim, Verdict

__all__ = ["RULES", "claims_of", "observation_claim", "tie_claim"]

_FALLS = Rule(
    "Eff falls along the order",
    "the relationship between Eff. values and the distance values is nonlinear-inverse proportion",
    "IV-D, answer to Q1",
    "held if the slope of the likeliest exponential is positive on every network, data set and metric, partly if on "
    "more than half; a case is open if its interval over networks and inputs holds 0" + COUNTED,
)
_CORRELATED = Rule(
    "A fitted exponential correlates with Eff by at least 0.95",
    "we fit a function with more than 95% correlation coefficient for each dataset on each metric",
    "IV-D, Tables III and IV",
    "held if r >= 0.95 on every network, data set and metric, partly if on more than half; a case is open if its "
    "interval holds 0.95, or if the three ways of fitting disagree" + COUNTED,
)
_DECAY = Rule(
    "The fall is exponential, not of another kind",
    "the noise sensitivity and the distance of probability vectors are exponential relationships",
    "IV-D, A1",
    "held if AIC of a binomial likelihood prefers the exponential to a power law and to a stretched exponential on "
    "every trained network and metric, partly if on more than half" + COUNTED,
)
_SENSITIVE = Rule(
    "Inputs are sensitive to noise: random patches change the answer to most of them",
    "The examples are sensitive to noise",
    "IV-D, A1",
    "the paper says neither how many nor how much; held if more than half of the inputs have Eff > 0 on every network "
    "and data set, partly if on more than half of them; a case is open if its interval holds a half" + COUNTED,
)
_SAVED = Rule(
    "Ranked inputs need fewer tries until the first adversary than random ones, on every network and data set",
    "which shows NSATP is more effective than Random",
    "IV-D, answer to Q2, Table V",
    "held if Inc > 0 on every network, data set and metric, partly if on more than half; a case is open if its "
    "interval over networks and repeats holds 0" + COUNTED,
)
_BEST = Rule(
    "PD is the best of the three metrics by Eff-D",
    "The probability difference metric is better than the other two metrics on each image dataset and each model",
    "IV-D, A3, Table VI",
    "held if PD is the steepest on every network and data set, partly if on more than half; a case is open if the "
    "interval over networks and inputs of its lead holds 0" + COUNTED,
)
_TIED = Rule(
    "All softmax scores (PD, PE, PV, Gini, margin, largest probability) rank equally well on good networks",
    "",
    BEYOND,
    "held if the interval of every difference in APFD from PD lies within 0.005 on every good network, partly if on "
    "more than half of the pairs; a pair is not held if its interval lies outside",
)
_OBSERVED = Rule(
    "Of 50 inverted patches, those on an unsure digit are never fewer times effective than those on a sure one",
    "the numbers of effective adversarial examples with respect to Fig. 1 (a) is always not less than that with "
    "respect to Fig. 1 (b)",
    "II-B, Figs. 1 to 3",
    "held if never fewer in any repeat of 100 such pairs, partly if more often more than fewer",
)
RULES = (_SENSITIVE, _FALLS, _CORRELATED, _DECAY, _SAVED, _BEST, _TIED, _OBSERVED)
_NEAR = 0.005


def claims_of(groups: Sequence[Group]) -> list[Claim]:
    """Return the claims on which the papers' networks have something to say."""
    good = [group for group in groups if group.counted]
    return [_sensitive(good), *_curve(good), _f_measure(good), _best(good)]


def _sensitive(groups: Sequence[Group]) -> Claim:
    shares = [group.vulnerable for group in groups]
    return _SENSITIVE.decided(
        tallied(above(share, 0.5) for share in shares),
        "the examples",
        "Eff > 0 of " + ", ".join(_share(group, share) for group, share in zip(groups, shares, strict=True)),
    )


def _share(group: Group, share: Interval | None) -> str:
    assert share is not None
    return f"{share.mean:.0%} ({share.low:.0%} to {share.high:.0%}; {group.title})"


def _curve(groups: Sequence[Group]) -> list[Claim]:
    falls, reach, best = (case(groups, METRICS) for case in (falling, correlated, exponential))
    told = []
    for fit in FITS:
        found = [
            one.correlation(metric, fit, np.arange(len(one)))
            for group in groups
            for metric in METRICS
            for one in group.ranked
        ]
        known = [r for r in found if r is not None]
        told.append(f"{min(known):.2f} to {max(known):.2f} ({fit})" if known else f"- ({fit})")
    return [
        _FALLS.decided(tallied(falls), "falls", f"falls in {falls.count(True)} of {len(falls)} cases"),
        _CORRELATED.decided(
            tallied(reach),
            "0.96 to 0.99",
            f"r {'; '.join(told)}; at least 0.95 by all three in {reach.count(True)} of {len(reach)} cases",
        ),
        _DECAY.decided(
            tallied(best), "exponential", f"the exponential is preferred in {best.count(True)} of {len(best)} fits"
        ),
    ]


def _f_measure(groups: Sequence[Group]) -> Claim:
    found = [group.inc(metric) for group in groups for metric in METRICS]
    values = [one.mean for one in found if one is not None]
    return _SAVED.decided(
        tallied(saving(groups, METRICS)),
        "Inc 79.67 % to 99.68 %",
        f"Inc {min(values, default=0):.1%} to {max(values, default=0):.1%}; positive in {sum(v > 0 for v in values)} "
        f"of {len(values)}",
    )


def _best(groups: Sequence[Group]) -> Claim:
    best = [metric for group in groups for metric, mark in group.marks.items() if mark == "Best"]
    leads = [lead(group, "pd", ("pe", "pv")) for group in groups]
    told = [
        f"{group.title} {ahead.mean:+.2g} ({ahead.low:+.2g} to {ahead.high:+.2g})"
        for group, ahead in zip(groups, leads, strict=True)
        if ahead is not None
    ]
    return _BEST.decided(
        tallied(above(ahead, 0) for ahead in leads),
        "best on 6 of 8",
        ", ".join(f"{metric.upper()} best on {best.count(metric)}" for metric in METRICS)
        + f" of {len(groups)}; lead of PD's slope: {', '.join(told)}",
    )


def tie_claim(groups: Sequence[Group]) -> Claim | None:
    """Return whether the softmax scores rank good networks' inputs equally well."""
    if not groups:
        return None
    leads = [(group, score, _ahead(group, score)) for group in groups for score in SCORES[1:]]
    outcomes = [None if one is None else _tie(one) for _, _, one in leads]
    widest = {
        group.title: max(abs(one.mean) for other, _, one in leads if other is group and one is not None)
        for group in groups
    }
    ends = [end for _, _, one in leads if one is not None for end in one.ci95]
    return _TIED.decided(
        tallied(outcomes),
        "-",
        "largest difference in APFD from PD: "
        + ", ".join(f"{title} {value:.4f}" for title, value in widest.items())
        + f"; intervals from {min(ends):+.4f} to {max(ends):+.4f}",
    )


def _ahead(group: Group, score: str) -> Interval | None:
    def figure(one: Ranked, rows: np.ndarray) -> float | None:
        first, second = one.apfd(score, rows), one.apfd("pd", rows)
        return None if first is None or second is None else first - second

    return group.over_inputs(figure, -1, 1)


def _tie(ahead: Interval) -> bool | None:
    if ahead.low > -_NEAR and ahead.high < _NEAR:
        return True
    return False if ahead.low > _NEAR or ahead.high < -_NEAR else None


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
