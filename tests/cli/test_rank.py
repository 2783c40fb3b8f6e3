import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from unnerve.cli.main import main


def read_csv(path: str) -> pa.Table:
    return pyarrow.csv.read_csv(path, pyarrow.csv.ReadOptions(use_threads=False))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_ranking_is_written_and_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "zoo:lenet5", "mnist5k", "--limit", "300", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["score"] == "pd"
    assert figures["count"] == 300
    assert figures["out"] == "ranking.csv"
    table = read_csv("ranking.csv")
    assert table.column_names == ["id", "score", "rank", "predicted", "confidence", "label"]
    assert table["rank"].to_pylist() == list(range(1, 301))
    scores = np.array(table["score"])
    assert (np.diff(scores) <= 0).all()


def test_inputs_and_parquet() -> None:
    assert main(["rank", "zoo:lenet1", "mnist5k", "--score", "gini", "--inputs", "20", "--out", "r.parquet"]) == 0
    table = pyarrow.parquet.read_table("r.parquet", use_threads=False)
    assert table.num_rows == 20
    assert set(table["id"].to_pylist()) == {str(row) for row in range(20)}


def test_evaluation_has_the_stable_keys_and_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rank", "zoo:lenet5", "mnist5k", "--evaluate", "--inputs", "40", "--tries", "10", "--repeats", "3"]
    assert main([*arguments, "--score", "pe,pd", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["score"] == "pe"
    assert list(figures["scores"])[:2] == ["pe", "pd"]
    for one in (figures, *figures["scores"].values()):
        assert {"f_measure", "f_measure_random", "inc", "apfd", "fit", "eff_mean"} <= set(one)
        assert set(one["fit"]) == {"a", "b", "r"}
    assert figures["count"] == 5000
    assert Path(figures["report"]).read_text().startswith("<!doctype html>")


def test_a_users_own_file_and_data(capsys: pytest.CaptureFixture[str]) -> None:
    Path("own_net.py").write_text(
        "import torch\n"
        "def build():\n"
        "    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))\n"
        "def probabilities(x):\n"
        "    return torch.tensor(x).flatten(1)[:, :3].softmax(dim=1).numpy()\n"
    )
    np.savez("images.npz", x=np.random.Generator(np.random.Philox(1)).random((9, 3, 2, 2), dtype=np.float32))
    for name in ("own_net.py:build", "own_net:probabilities"):
        assert main(["rank", name, "npz:images.npz", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["count"] == 9
    assert "label" not in read_csv("ranking.csv").column_names


def test_values_outside_the_range_name_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("images.npz", x=np.linspace(-1, 1, 12 * 4, dtype=np.float32).reshape(12, 1, 2, 2))
    Path("net.py").write_text("import torch\nnet = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 3))\n")
    assert main(["rank", "net.py:net", "images.npz"]) == 2
    assert "--stored-range -1,1" in capsys.readouterr().err
    assert main(["rank", "net.py:net", "images.npz", "--stored-range", "-1,1"]) == 0
