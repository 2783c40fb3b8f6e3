from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from tests.papers.ranking_cells import INPUTS, small_cells
from unnerve.papers._ranking.cells import Cell
from unnerve.papers._ranking.groups import grouped, scatters_of
from unnerve.papers._ranking.ranked import FITS, Ranked
from unnerve.papers._ranking.results import CellResult, Fit
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.training.recipes import Recipe

EVERY = np.arange(INPUTS)


@pytest.fixture
def cells(tmp_path: Path) -> list[CellResult]:
    """Return the cells of two networks on two data sets, the first of them with two training seeds."""
    places = [("cifar10", "net2", 0), ("mnist", "net2", 0), ("mnist", "net1", 0), ("mnist", "net1", 1)]
    return [
        small_cells(Cell(data, network, Recipe(seed=seed), RankingTrial()), tmp_path) for data, network, seed in places
    ]


def unfitted(cell: CellResult) -> CellResult:
    none = replace(cell.proof.scores["pd"], fit=Fit(None, None, None))
    return replace(cell, proof=replace(cell.proof, scores={**cell.proof.scores, "pd": none}))


def test_groups_follow_the_papers_order(cells: list[CellResult]) -> None:
    groups = grouped(cells, ["net1", "net2"])
    assert [group.title for group in groups] == ["net1 MNIST", "net2 MNIST", "net2 Cifar-10"]
    assert [len(group.cells) for group in groups] == [2, 1, 1]
    assert groups[0].marks["pd"] == "Best"


def test_a_network_below_what_anybody_reaches_is_not_counted(cells: list[CellResult]) -> None:
    weak = grouped([replace(cells[2], test_accuracy=0.94)], ["net1"])[0]
    assert not weak.counted
    assert grouped(cells, ["net1"])[0].counted


def test_figures_come_with_intervals_over_networks_and_repeats(cells: list[CellResult]) -> None:
    (group,) = grouped(cells[2:], ["net1"])
    slow = replace(cells[3], runs={**cells[3].runs, "pd": (5, 7) * 5})
    (mixed,) = grouped([cells[2], slow], ["net1"])
    same, apart = group.generations("pd"), mixed.generations("pd")
    assert same is not None
    assert apart is not None
    assert (same.mean, apart.mean) == (2, 4)
    assert 1 <= same.low < 2 < same.high < 4, "never below a single try"
    assert apart.high - apart.low > 2 * (same.high - same.low), "networks that differ are part of the spread"
    inc = group.inc("pd")
    assert inc is not None
    assert inc.mean == pytest.approx(0.99)


def test_slope_and_correlations_of_an_exponential(cells: list[CellResult]) -> None:
    one = Ranked(cells[2])
    assert one.slope("pd", EVERY) == pytest.approx(4, abs=0.1)
    for fit in FITS:
        r = one.correlation("pd", fit, EVERY)
        assert r is not None
        assert r > 0.99
    turned = one.correlation("pe", FITS[0], EVERY)
    assert turned is not None
    assert turned < 0.95, "the first third is the other way round"
    curves = one.curves("pd")
    assert min(curves.values(), key=lambda fit: fit.aic).curve == "exponential"


def test_nothing_is_fitted_where_nothing_falls(cells: list[CellResult]) -> None:
    one = Ranked(replace(cells[2], eff=(0.0,) * INPUTS))
    assert one.slope("pd", EVERY) is None
    assert one.apfd("pd", EVERY) is None
    assert one.correlation("pd", FITS[1], EVERY) is None


def test_the_first_training_seed_is_drawn_in_the_cells_order(cells: list[CellResult]) -> None:
    scatters = scatters_of([*cells[:2], unfitted(cells[2]), cells[3]])
    assert [(one.network, one.data) for one in scatters] == [
        ("net2", "cifar10"),
        ("net2", "mnist"),
        ("net1", "mnist"),
    ]
    assert (scatters[0].tries, scatters[0].eff[0], scatters[0].fits["pv"].b) == (100, 0.79, 8.0)
    assert scatters[0].scores["pd"][0] > scatters[0].scores["pd"][1], "the first of the order is the most suspect"
    assert isnan(scatters[2].fits["pd"].a)
