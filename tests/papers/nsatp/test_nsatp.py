from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.core.errors import InvalidData
from unnerve.papers._ranking import runs
from unnerve.papers.nsatp import nsatp


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
    monkeypatch.setattr(runs, "_run", small_cells)
    result = nsatp.nsatp(tmp_path, tmp_path / "out")
    assert [table.title.partition(":")[0] for table in result.tables] == [
        f"Table {n}" for n in ("III", "IV", "V", "VI")
    ]
    assert result.tables[0].rows[0][:3] == ("net1 f-MNIST", "1", "0.50 e^(-10.00x) (paper 0.39 e^(-3.18x))")
    assert result.tables[2].rows[1][2].startswith("2 / 200 / 20, Inc 99.0%")
    # Net-1 was trained once: whether its curves reach 0.95, and whether PD leads, stays open.
    assert [claim.verdict for claim in result.claims] == ["cannot be decided", "held", "cannot be decided"]
    assert [claim.held for claim in result.claims] == [None, True, None]
    assert result.summary()["claims"][1]["place"] == "IV-D, answer to Q2"
    assert "MNIST: not in the data folder" in result.skipped


def test_finished_cells_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    first = nsatp.nsatp(tmp_path, tmp_path / "out")
    monkeypatch.setattr(runs, "_run", pytest.fail)
    assert nsatp.nsatp(tmp_path, tmp_path / "out").summary() == first.summary()
    with pytest.raises(TypeError, match="got 'Cell' instead"):
        nsatp.nsatp(tmp_path, tmp_path / "out", seed=1)
