from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.core.errors import InvalidSetting
from unnerve.papers._ranking import runs
from unnerve.papers.peacepact import peacepact


def test_tables_and_claims_from_finished_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "cifar100").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    result = peacepact.peacepact(tmp_path, tmp_path / "out").finished()
    assert len(result.cells) == 11, "five training seeds on two data sets, and LeNet-5 beside them"
    assert "400 test inputs" in result.size
    assert "10 trained networks (some with the first 20,000 images)" in result.size
    assert result.tables[0].columns == ("network and data", "training seeds", "accuracy", "PD")
    assert result.tables[3].rows[0][3].endswith("(paper 9.99 / 908.52, Inc 98.90%)")
    held = [claim.held for claim in result.claims]
    assert held == [True, True, True, True, True, True]
    assert result.claims[5].ours.startswith("80%, 80%")


def test_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    outline = peacepact.peacepact(tmp_path, tmp_path / "out")
    result = outline.finished(table="VI")
    assert [table.title.partition(":")[0] for table in result.tables] == ["Table VI"]
    assert len(result.cells) == 5, "LeNet-5 serves no table of the paper"
    with pytest.raises(InvalidSetting, match="table must be one of 4, 5, 6, got 7"):
        outline.finished(table="7")
