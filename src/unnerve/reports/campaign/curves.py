"""What was found by the time so much was spent: the lines of a campaign's charts."""

from dataclasses import dataclass

from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.names import display_name
from unnerve.studies.campaign.query_curves import query_curves

__all__ = ["FIGURES", "Curve", "curves"]

FIGURES = ("seeds_broken", "error_categories", "errors")


@dataclass(frozen=True)
class Curve:
    """One method's lines.

    Parameters
    ----------
    label : str
    queries, seconds : list of float
        Spent per seed.
    means, low, high : dicts of str to list of float
        By figure: mean over seeds, and the ends of its 95 % interval.
    """

    label: str
    queries: list[int]
    seconds: list[float]
    means: dict[str, list[float]]
    low: dict[str, list[float]]
    high: dict[str, list[float]]


def curves(evidence: Evidence) -> tuple[Curve, ...]:
    """Return the curves of every method that hunted something, each as far as its seeds went."""
    found = []
    for method in evidence.methods:
        most = max((seed.queries for seed in method.tally.seeds if seed.failed is None), default=0)
        if most == 0:
            continue
        spent = query_curves(method.tally, most)
        each = method.seconds / max(1, method.counts.queries)
        found.append(
            Curve(
                display_name(method.label, 60),
                spent.queries.tolist(),
                [queries * each for queries in spent.queries.tolist()],
                *({name: some[name].tolist() for name in FIGURES} for some in (spent.means, spent.low, spent.high)),
            )
        )
    return tuple(found)
