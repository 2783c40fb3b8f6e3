"""Finished cells by network and data set: figures with intervals over networks and inputs, and what scatters show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import asinh, atanh, inf, nan, sinh, tanh

import numpy as np

from unnerve.measure.curves.eff_d import eff_d
from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.papers._ranking.cells import DATA_SETS, METRICS
from unnerve.papers._ranking.ranked import Ranked
from unnerve.papers._ranking.results import CellResult, Fit
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.jackknife import jackknife
from unnerve.studies.intervals.nested import nested
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.intervals.waiting_time import saved_share, waiting_time
from unnerve.studies.reproduction import Scatter

__all__ = ["Group", "grouped", "scatters_of"]

_WEAK = {"mnist": 0.95, "fashion-mnist": 0.8, "cifar10": 0.6, "cifar100": 0.3}
"""Accuracy that anybody's network of this kind exceeds: what stays below is shown, not counted."""
_PERFECT = 1 - 1e-12
"""Fisher's scale has no place for 1 itself."""


@dataclass(frozen=True)
class Group:
    """All training seeds of one network on one data set."""

    network: str
    data: str
    cells: tuple[CellResult, ...]

    @cached_property
    def _known(self) -> dict[tuple[str, ...], Interval | None]:
        return {}

    def _once(self, key: tuple[str, ...], make: Callable[[], Interval | None]) -> Interval | None:
        """Return what was resampled before: tables and claims ask for the same figures."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    @cached_property
    def ranked(self) -> tuple[Ranked, ...]:
        """The cells, ready to be drawn from."""
        return tuple(map(Ranked, self.cells))

    def over_inputs(
        self, figure: Callable[[Ranked, np.ndarray], float | None], low: float = -inf, high: float = inf
    ) -> Interval | None:
        """Return a figure of some inputs, averaged over networks, with its interval over networks and inputs."""
        own = [jackknife(len(one), lambda rows, one=one: figure(one, rows), low, high) for one in self.ranked]  # type: ignore[misc]
        return nested(own, low, high)

    @property
    def vulnerable(self) -> Interval:
        """The share of inputs with Eff > 0."""
        found = nested([proportion(int((one.eff > 0).sum()), len(one)) for one in self.ranked], 0, 1)
        assert found is not None
        return found

    def slope(self, metric: str) -> Interval | None:
        """Return Eff-D: b of the likeliest exponential."""
        return self._once(("slope", metric), lambda: nested([_slope(one, metric) for one in self.ranked]))

    def correlation(self, metric: str, fit: str) -> Interval | None:
        """Return r between Eff and a curve that is fitted in one of the ways ``FITS``."""
        return self._once(
            ("r", metric, fit), lambda: nested([_correlation(one, metric, fit) for one in self.ranked], -1, 1)
        )

    def generations(self, order: str) -> Interval | None:
        """Return the F-measure of an order."""
        own = [(cell, _generations(cell, order)) for cell in self.cells]
        most = float(max(map(_most, self.cells)))
        return nested([waiting_time(runs, _most(cell)) if len(runs) else None for cell, runs in own], 1, most)

    def inc(self, metric: str) -> Interval | None:
        """Return the share of the random order's generations that a metric's order saves."""
        own = [
            saved_share(_generations(cell, "random"), _generations(cell, metric), _most(cell)) for cell in self.cells
        ]
        return nested(own, 1 - float(max(map(_most, self.cells))), 1)

    @property
    def title(self) -> str:
        """Network and data as the paper writes them."""
        return f"{self.network} {DATA_SETS[self.data]}"

    @property
    def trained(self) -> str:
        """How many training seeds there are, in words."""
        given = self.cells[0].plan.recipe is None
        return "given" if given else str(len(self.cells))

    @property
    def accuracy(self) -> float:
        """The mean over training seeds, on the test set."""
        return sum(cell.test_accuracy for cell in self.cells) / len(self.cells)

    @property
    def counted(self) -> bool:
        """Whether the network is good enough to bear a claim."""
        return self.accuracy >= _WEAK[self.data]

    @property
    def marks(self) -> dict[str, str]:
        """The Eff-D mark of each metric."""
        slopes = {metric: self.slope(metric) for metric in METRICS}
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


def _slope(one: Ranked, metric: str) -> Interval | None:
    """Return b with its interval over inputs, on a logarithmic scale that knows signs: large ones are very skewed."""

    def figure(rows: np.ndarray) -> float | None:
        b = one.slope(metric, rows)
        return None if b is None else asinh(b)

    found = jackknife(len(one), figure)
    return None if found is None else Interval(*map(sinh, (found.mean, found.low, found.high)))


def _correlation(one: Ranked, metric: str, fit: str) -> Interval | None:
    """Return r with its interval over inputs, on Fisher's scale: close to 1 it is far from symmetric."""

    def figure(rows: np.ndarray) -> float | None:
        r = one.correlation(metric, fit, rows)
        return None if r is None else atanh(min(max(r, -_PERFECT), _PERFECT))

    found = jackknife(len(one), figure)
    return None if found is None else Interval(*map(tanh, (found.mean, found.low, found.high)))


def _generations(cell: CellResult, order: str) -> np.ndarray:
    return np.array(cell.runs[order], dtype=float)


def _most(cell: CellResult) -> int:
    """Return how many generations a run can take: every try at every input."""
    return len(cell.eff) * cell.plan.trial.tries


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
            {metric: tuple(-float(place) for place in np.argsort(cell.orders[metric])) for metric in METRICS},
            {metric: _curve(cell.proof.scores[metric].fit) for metric in METRICS},
        )
        for (network, data), cell in first.items()
    )


def _curve(fit: Fit) -> ExponentialFit:
    a, b, r = (nan if value is None else value for value in (fit.a, fit.b, fit.r))
    return ExponentialFit(a, b, r, points=0)  # how many were fitted is not stored, and not shown
