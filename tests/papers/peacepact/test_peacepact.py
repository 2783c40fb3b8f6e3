from pathlib import Path

import pytest

from tests.papers.ranking_cells import small_cells
from unnerve.papers._ranking import runs
from unnerve.papers.peacepact import peacepact


def test_tables_and_claims_from_finished_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "cifar100").mkdir()
    monkeypatch.setattr(runs, "_run", small_cells)
    result = peacepact.peacepact(tmp_path, tmp_path / "out")
    assert len(result.cells) == 4
    assert result.tables[0].columns == ("network and data", "seeds", "PD")
    assert result.tables[2].rows[0][2] == "2 / 200 / 20, Inc 99.0% (paper 9.99 / 908.52, Inc 98.90%)"
    assert [claim.held for claim in result.claims] == [None, True, True, True, True], "2 of 3 inputs are not yet most"
    assert result.summary()["claims"][4]["ours"].startswith("80%, 80%")
