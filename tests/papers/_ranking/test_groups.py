from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.papers._ranking.cells import Cell
from unnerve.papers._ranking.groups import grouped, known_means, scatters_of
from unnerve.papers._ranking.results import CellResult, Fit
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.training.recipes import Recipe


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
    assert groups[0].marks == {"pd": "Best", "pe": "Worst", "pv": "Middle"}


def test_figures_are_means_of_what_is_known(cells: list[CellResult]) -> None:
    (group,) = grouped([unfitted(cells[2]), cells[3]], ["net1"])
    slope = group.figure("pd", lambda one: one.fit.b)
    assert slope is not None
    assert slope.mean == 10.0
    (none,) = grouped([unfitted(cells[2])], ["net1"])
    assert none.figure("pd", lambda one: one.fit.b) is None
    assert known_means([group, none], ["pd", "pe"], lambda one: one.fit.b) == [10.0, 8.0, 8.0]


def test_the_first_training_seed_is_drawn_in_the_cells_order(cells: list[CellResult]) -> None:
    scatters = scatters_of([*cells[:2], unfitted(cells[2]), cells[3]])
    assert [(one.network, one.data) for one in scatters] == [
        ("net2", "cifar10"),
        ("net2", "mnist"),
        ("net1", "mnist"),
    ]
    assert (scatters[0].tries, scatters[0].eff, scatters[0].fits["pv"].b) == (100, (0.5, 0.1, 0.0), 9.0)
    assert isnan(scatters[2].fits["pd"].a)
