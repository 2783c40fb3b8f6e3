from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.core.errors import InvalidData
from unnerve.papers._ranking import cells
from unnerve.papers.nsatp import nsatp


def test_printed_figures_agree_with_the_papers_own_arithmetic() -> None:
    ranked, random = nsatp.PRINTED["net2", "mnist"]["pd"][3:]
    assert 1 - ranked / random == pytest.approx(0.9890, abs=5e-5)
    ranked, random = nsatp.PRINTED["net1", "cifar100"]["pd"][3:]
    assert 1 - ranked / random == pytest.approx(0.7967, abs=1.5e-4)


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold folders named mnist"):
        nsatp.nsatp(tmp_path, tmp_path / "out")


def test_sizes() -> None:
    short = nsatp._cells("mnist", "net2", full=False, seed=0)
    assert [cell.recipe.seed for cell in short] == [0, 1, 2]
    assert short[0].trial.inputs == 1000
    full = nsatp._cells("cifar10", "net1", full=True, seed=0)
    recipe = full[0].recipe
    assert (recipe.epochs, recipe.batch, recipe.rate, recipe.momentum) == (60, 512, 0.01, 0.0)


def test_tables_and_claims_from_finished_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(cells, "_run", small_cells)
    result = nsatp.nsatp(tmp_path, tmp_path / "out")
    assert [table.title.partition(":")[0] for table in result.tables] == [
        f"Table {n}" for n in ("III", "IV", "V", "VI")
    ]
    assert result.tables[0].rows[0][:3] == ("net1 f-MNIST", "1", "0.50 e^(-10.00x) (paper 0.39 e^(-3.18x))")
    assert result.tables[2].rows[1][2].startswith("2 / 200 / 20, Inc 99.0%")
    assert [claim.held for claim in result.claims] == [True, True, True]
    assert "MNIST: not in the data folder" in result.skipped


def test_finished_cells_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(cells, "_run", small_cells)
    first = nsatp.nsatp(tmp_path, tmp_path / "out")
    monkeypatch.setattr(cells, "_run", pytest.fail)
    assert nsatp.nsatp(tmp_path, tmp_path / "out").summary() == first.summary()
    with pytest.raises(TypeError, match="got 'Cell' instead"):
        nsatp.nsatp(tmp_path, tmp_path / "out", seed=1)
