"""What PEACEPACT claims, beside what its cells found."""

from collections.abc import Sequence

from unnerve.papers._ranking.groups import Group, known_means
from unnerve.studies.intervals.student import mean_ci95
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of"]


def claims_of(groups: Sequence[Group]) -> tuple[Claim, ...]:
    """Return the paper's three claims."""
    return _inverse(groups), _improvement(groups), _runner_up(groups)


def _inverse(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, ["pd"], lambda one: one.fit.r)
    slopes = [group.figure("pd", lambda one: one.fit.b) for group in groups]
    falling = all(slope is not None and slope.mean > 0 for slope in slopes)
    return Claim(
        "Vulnerability falls with class distinguishability (PD), exponentially",
        "correlation 0.97 to 0.98",
        f"correlation {min(values):.2f} to {max(values):.2f} over 100 rank bins; falling on "
        f"{sum(slope is not None and slope.mean > 0 for slope in slopes)} of {len(groups)} data sets",
        mean_ci95(values, -1, 1),
        falling and min(values) >= 0.95,
    )


def _improvement(groups: Sequence[Group]) -> Claim:
    values = known_means(groups, ["pd"], lambda one: one.inc)
    return Claim(
        "PEACEPACT needs fewer generations until the first adversary than RAND, on every data set",
        "Inc 98.90 % to 99.68 %",
        f"Inc {min(values):.1%} to {max(values):.1%}",
        mean_ci95(values, high=1),
        all(value > 0 for value in values),
    )


def _runner_up(groups: Sequence[Group]) -> Claim:
    shares = [cell.proof.runner_up_share for group in groups for cell in group.cells]
    return Claim(
        "Adversaries are mostly taken for the second most probable class",
        "mostly (one digit, ten repeats)",
        ", ".join(f"{share:.0%}" for share in shares if share is not None) + " of all adversaries",
        mean_ci95([share for share in shares if share is not None], 0, 1),
        all(share is not None and share > 0.5 for share in shares),
    )
