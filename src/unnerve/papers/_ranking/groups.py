"""Finished cells by network and data set: figures averaged over training seeds, and what scatter figures show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nan

from unnerve.measure.curves.eff_d import eff_d
from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.papers._ranking.cells import DATA_SETS, METRICS
from unnerve.papers._ranking.results import CellResult, Fit, ScoreFigures
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import student
from unnerve.studies.reproduction import Scatter

__all__ = ["Group", "grouped", "known_means", "scatters_of"]


@dataclass(frozen=True)
class Group:
    """All training seeds of one network on one data set."""

    network: str
    data: str
    cells: tuple[CellResult, ...]

    def figure(
        self, metric: str, of: Callable[[ScoreFigures], float | None], low: float = -inf, high: float = inf
    ) -> Interval | None:
        """Return a figure of a metric's proof, which lies between two bounds, averaged over training seeds.

        None where no fit was possible; unbounded where a single network was trained.
        """
        values = [of(cell.proof.scores[metric]) for cell in self.cells]
        known = [value for value in values if value is not None]
        if len(known) < 2:
            return student(known) if known else None
        return student(known, low, high)

    @property
    def title(self) -> str:
        """Network and data as the paper writes them."""
        return f"{self.network} {DATA_SETS[self.data]}"

    @property
    def marks(self) -> dict[str, str]:
        """The Eff-D mark of each metric."""
        slopes = {metric: self.figure(metric, lambda one: one.fit.b) for metric in METRICS}
        return eff_d({metric: nan if slope is None else slope.mean for metric, slope in slopes.items()})


def grouped(cells: Sequence[CellResult], networks: Sequence[str]) -> list[Group]:
    """Return the groups in the papers' order: by network, then by data set."""
    groups = []
    for network in networks:
        for data in DATA_SETS:
            own = tuple(cell for cell in cells if (cell.plan.network, cell.plan.data) == (network, data))
            if own:
                groups.append(Group(network, data, own))
    return groups


def known_means(
    groups: Sequence[Group], metrics: Sequence[str], of: Callable[[ScoreFigures], float | None]
) -> list[float]:
    """Return a figure's mean for every group and metric where there is one."""
    figures = [group.figure(metric, of) for group in groups for metric in metrics]
    return [figure.mean for figure in figures if figure is not None]


def scatters_of(cells: Sequence[CellResult]) -> tuple[Scatter, ...]:
    """Return what the figures show: the first training seed of every network and data set, in the cells' order."""
    first: dict[tuple[str, str], CellResult] = {}
    for cell in cells:
        first.setdefault((cell.plan.network, cell.plan.data), cell)
    return tuple(
        Scatter(
            network,
            data,
            cell.plan.trial.tries,
            cell.eff,
            cell.scores,
            {metric: _curve(cell.proof.scores[metric].fit) for metric in cell.scores},
        )
        for (network, data), cell in first.items()
    )


def _curve(fit: Fit) -> ExponentialFit:
    a, b, r = (nan if value is None else value for value in (fit.a, fit.b, fit.r))
    return ExponentialFit(a, b, r, points=0)  # how many were fitted is not stored, and not shown
