"""KuK's plane of confidence and uncertainty, and how VRO settles with the number of draws, from finished trials."""

from collections.abc import Sequence

from unnerve.papers.kuk.results import TrialResult, rows_of
from unnerve.studies.reproduction import Figure, Series

__all__ = ["draws_figure", "plane"]

_POINTS = 200  # of a group: enough for a figure to show where it lies, few enough for a page of thirty groups


def plane(result: TrialResult, extreme: str) -> Figure:
    """Return where a network's inputs lie between confidence and uncertainty."""
    groups = {"benign": result.benign} | {row.title: row.figures.group for row in rows_of([result], extreme)}
    series = tuple(
        Series(name, group.metrics["pcs"][:_POINTS], group.metrics["vro"][:_POINTS], "points")
        for name, group in groups.items()
    )
    return Figure(f"{result.title}: {extreme} change of each attack", "confidence (PCS)", "uncertainty (VRO)", series)


def draws_figure(results: Sequence[TrialResult]) -> Figure:
    """Return how the VRO of benign inputs settles."""
    series = []
    for result in results:
        means = sorted((draws, sum(values) / len(values)) for draws, values in result.benign.vro_by_draws.items())
        series.append(Series(result.title, tuple(float(d) for d, _ in means), tuple(mean for _, mean in means)))
    return Figure("Benign inputs: VRO over the number of draws", "draws T", "mean VRO", tuple(series))
