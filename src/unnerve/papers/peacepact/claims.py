"""What PEACEPACT claims, beside what its cells found."""

from collections.abc import Sequence

import numpy as np

from unnerve.papers._ranking.groups import Group
from unnerve.papers._ranking.outcomes import correlated, exponential, falling, saving
from unnerve.papers._ranking.ranked import FITS
from unnerve.papers._rules import COUNTED, Rule, above, tallied
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "claims_of"]

_SENSITIVE = Rule(
    "Most inputs become adversaries by some perturbation: Eff > 0",
    "Most examples show sensitivity to perturbation",
    "IV-B, conclusion",
    "held if more than half of the inputs have Eff > 0 on every data set, partly if on more than half of them; a data "
    "set is open if its interval over networks and inputs holds a half" + COUNTED,
)
# The paper claims a falling relation and fits an exponential: one may hold without the other.
_FALLS = Rule(
    "Vulnerability falls with class distinguishability (PD)",
    "The vulnerability shows a monotone non-linear inverse relationship with the class distinguishability distance",
    "IV-B, conclusion",
    "held if the slope of the likeliest exponential is positive on every data set, partly if on more than half; open "
    "if its interval over networks and inputs holds 0" + COUNTED,
)
_CORRELATED = Rule(
    "A fitted exponential correlates with Eff by at least 0.95",
    "obtain a strong correlation of 0.97",
    "IV-B, Table V",
    "held if r >= 0.95 on every data set, partly if on more than half; a data set is open if its interval holds 0.95, "
    "or if the three ways of fitting disagree" + COUNTED,
)
_EXPONENTIAL = Rule(
    "The fall is exponential, not of another kind",
    "We conduct an exponential fitting on the relationship",
    "IV-B, Table IV",
    "held if AIC of a binomial likelihood prefers the exponential to a power law and to a stretched exponential on "
    "every trained network, partly if on more than half" + COUNTED,
)
_SAVED = Rule(
    "PEACEPACT needs fewer generations until the first adversary than RAND, on every data set",
    "PEACEPACT is more effective than the random manner in finding vulnerable examples",
    "IV-C, Table VI",
    "held if Inc > 0 on every data set, partly if on more than half; a data set is open if its interval over networks "
    "and repeats holds 0" + COUNTED,
)
_RUNNER_UP = Rule(
    "Adversaries are mostly taken for the second most probable class",
    "the effective adversaries with respect to picture (b) are mostly recognized as a digit number 2",
    "II-B, Fig. 1",
    "held if more than half of the adversaries are on every trained network, partly if on more than half of them"
    + COUNTED,
)
RULES = (_SENSITIVE, _FALLS, _CORRELATED, _EXPONENTIAL, _SAVED, _RUNNER_UP)


def claims_of(groups: Sequence[Group], good: Sequence[Group] = ()) -> tuple[Claim, ...]:
    """Return the paper's claims; good networks that are not the paper's stand beside its own."""
    counted = [group for group in (*groups, *good) if group.counted]
    return _sensitive(counted), *_curve(counted), _improvement(counted), _runner_up(counted)


def _sensitive(groups: Sequence[Group]) -> Claim:
    shares = [group.vulnerable for group in groups]
    return _SENSITIVE.decided(
        tallied(above(share, 0.5) for share in shares),
        "most",
        ", ".join(f"{_text(share)} ({group.title})" for group, share in zip(groups, shares, strict=True)),
    )


def _curve(groups: Sequence[Group]) -> list[Claim]:
    falls, reach, best = (case(groups, ["pd"]) for case in (falling, correlated, exponential))
    told = []
    for fit in FITS:
        found = [one.correlation("pd", fit, np.arange(len(one))) for group in groups for one in group.ranked]
        known = [r for r in found if r is not None]
        told.append(f"{min(known):.2f} to {max(known):.2f} ({fit})" if known else f"- ({fit})")
    return [
        _FALLS.decided(
            tallied(falls), "falling on all data sets", f"falling on {falls.count(True)} of {len(falls)} networks"
        ),
        _CORRELATED.decided(tallied(reach), "0.97 to 0.98", f"r {'; '.join(told)}"),
        _EXPONENTIAL.decided(
            tallied(best), "exponential", f"the exponential is preferred on {best.count(True)} of {len(best)} networks"
        ),
    ]


def _improvement(groups: Sequence[Group]) -> Claim:
    found = [(group, group.inc("pd")) for group in groups]
    return _SAVED.decided(
        tallied(saving(groups, ["pd"])),
        "Inc 98.90 % to 99.68 %",
        "Inc " + ", ".join(f"{_text(inc, 1)} ({group.title})" for group, inc in found),
    )


def _runner_up(groups: Sequence[Group]) -> Claim:
    shares = [cell.proof.runner_up_share for group in groups for cell in group.cells]
    return _RUNNER_UP.decided(
        tallied(None if share is None else share > 0.5 for share in shares),
        "mostly (one digit, ten repeats)",
        ", ".join(f"{share:.0%}" for share in shares if share is not None) + " of all adversaries, network by network",
    )


def _text(value: Interval | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value.mean:.{digits}%} [{value.low:.{digits}%} to {value.high:.{digits}%}]"
