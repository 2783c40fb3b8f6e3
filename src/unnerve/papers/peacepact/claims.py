"""What PEACEPACT claims, beside what its cells found."""

from collections.abc import Sequence

from unnerve.papers._ranking.groups import Group, known_means
from unnerve.papers._ranking.outcomes import exponential, saving
from unnerve.papers._rules import Rule, above, tallied
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of"]

_SENSITIVE = Rule(
    "Most inputs become adversaries by some perturbation: Eff > 0",
    "Most examples show sensitivity to perturbation",
    "IV-B, conclusion",
    "held if more than half of the inputs have Eff > 0 on every trained network, partly if on more than half of them; "
    "a network is open if its interval over inputs holds a half",
)
# The paper claims a falling relation and fits an exponential: one may hold without the other.
_FALLS = Rule(
    "Vulnerability falls with class distinguishability (PD)",
    "The vulnerability shows a monotone non-linear inverse relationship with the class distinguishability distance",
    "IV-B, conclusion",
    "held if the fitted curve falls on every data set in the mean over training seeds, partly if on more than half",
)
_EXPONENTIAL = Rule(
    "The fall is exponential, with a correlation of at least 0.95",
    "obtain a strong correlation of 0.97",
    "IV-B, Tables IV and V",
    "held if r >= 0.95 on every data set, partly if on more than half; a data set is open if its interval over "
    "training seeds holds 0.95",
)
_SAVED = Rule(
    "PEACEPACT needs fewer generations until the first adversary than RAND, on every data set",
    "PEACEPACT is more effective than the random manner in finding vulnerable examples",
    "IV-C, Table VI",
    "held if Inc > 0 on every data set, partly if on more than half; a data set is open if its interval over training "
    "seeds holds 0",
)
_RUNNER_UP = Rule(
    "Adversaries are mostly taken for the second most probable class",
    "the effective adversaries with respect to picture (b) are mostly recognized as a digit number 2",
    "II-B",
    "held if more than half of the adversaries are on every trained network, partly if on more than half of them",
)


def claims_of(groups: Sequence[Group]) -> tuple[Claim, ...]:
    """Return the paper's claims."""
    return _sensitive(groups), _falls(groups), _exponential(groups), _improvement(groups), _runner_up(groups)


def _sensitive(groups: Sequence[Group]) -> Claim:
    shares = [proportion(sum(eff > 0 for eff in cell.eff), len(cell.eff)) for group in groups for cell in group.cells]
    return _SENSITIVE.decided(
        tallied(above(share, 0.5) for share in shares),
        "most",
        ", ".join(f"{share.mean:.0%}" for share in shares) + " of the inputs",
    )


def _falls(groups: Sequence[Group]) -> Claim:
    slopes = [group.figure("pd", lambda one: one.fit.b) for group in groups]
    falling = [None if slope is None else slope.mean > 0 for slope in slopes]
    return _FALLS.decided(
        tallied(falling), "falling on all data sets", f"falling on {falling.count(True)} of {len(falling)} data sets"
    )


def _exponential(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, ["pd"], lambda one: one.fit.r)
    return _EXPONENTIAL.decided(
        tallied(exponential(groups, ["pd"])),
        "correlation 0.97 to 0.98",
        f"correlation {min(values):.2f} to {max(values):.2f} over 100 rank bins",
    )


def _improvement(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, ["pd"], lambda one: one.inc)
    return _SAVED.decided(
        tallied(saving(groups, ["pd"])), "Inc 98.90 % to 99.68 %", f"Inc {min(values):.1%} to {max(values):.1%}"
    )


def _runner_up(groups: Sequence[Group]) -> Claim:
    shares = [cell.proof.runner_up_share for group in groups for cell in group.cells]
    return _RUNNER_UP.decided(
        tallied(None if share is None else share > 0.5 for share in shares),
        "mostly (one digit, ten repeats)",
        ", ".join(f"{share:.0%}" for share in shares if share is not None) + " of all adversaries",
    )
