from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.core.errors import InvalidData
from unnerve.papers._ranking import runs
from unnerve.papers.nsatp import nsatp


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold folders named mnist"):
        nsatp.nsatp(tmp_path, tmp_path / "out")


def test_sizes(tmp_path: Path) -> None:
    short = nsatp._cells(tmp_path, "mnist", "net2", full=False, seed=0)
    assert [cell.recipe.seed for cell in short if cell.recipe] == [0, 1, 2, 3, 4]
    assert [cell.trial.seed for cell in short] == [0, 1, 2, 3, 4], "each network meets candidates of its own"
    assert short[0].trial.inputs == 1000
    (shown,) = nsatp._cells(tmp_path, "cifar10", "net1", full=False, seed=0)
    assert (shown.images, shown.trial.inputs) == (24_000, 200)
    recipe = nsatp._cells(tmp_path, "cifar10", "net1", full=True, seed=0)[0].recipe
    assert recipe is not None
    assert (recipe.epochs, recipe.batch, recipe.rate, recipe.momentum) == (60, 512, 0.01, 0.0)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "net2_cifar10.safetensors").touch()
    (given,) = nsatp._cells(tmp_path, "cifar10", "net2", full=False, seed=0)
    assert (given.recipe, given.name) == (None, "cifar10-net2-given")


def test_tables_and_claims_from_finished_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    result = nsatp.nsatp(tmp_path, tmp_path / "out").finished()
    tables = {table.title.partition(":")[0]: table for table in result.tables}
    assert [name for name in tables if name.startswith("Table")] == [f"Table {n}" for n in ("III", "IV", "V", "VI")]
    # The data are 0.8 exp(-4 x) in the order of PD, rounded to hundredths.
    assert tables["Table III"].rows[0][:4] == ("net1 f-MNIST", "5", "97.0%", "0.80 e^(-3.99x) (paper 0.39 e^(-3.18x))")
    assert tables["Table V"].rows[1][3].startswith("2 (")
    assert "Inc 99.0% (" in tables["Table V"].rows[1][3]
    verdicts = {claim.claim.split(",")[0]: claim.verdict for claim in result.claims}
    assert verdicts["Eff falls along the order"] == "held"
    assert verdicts["Ranked inputs need fewer tries until the first adversary than random ones"] == "held"
    assert verdicts["PD is the best of the three metrics by Eff-D"] == "held"
    assert verdicts["The fall is exponential"] == "not held", "of three orders, that of PD alone is an exponential"
    places = {claim.claim: claim.place for claim in result.claims}
    assert places["PD is the best of the three metrics by Eff-D"] == "IV-D, A3, Table VI"
    assert "MNIST: not in the data folder" in result.skipped


def test_finished_cells_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fashion-mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    first = nsatp.nsatp(tmp_path, tmp_path / "out").finished()
    monkeypatch.setattr(runs, "_run", pytest.fail)
    assert nsatp.nsatp(tmp_path, tmp_path / "out").finished().summary() == first.summary()
    with pytest.raises(TypeError, match="got 'Cell' instead"):
        nsatp.nsatp(tmp_path, tmp_path / "out", seed=1).finished()
