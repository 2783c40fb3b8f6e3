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


SCORES = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Lead:
    first: int = 0
    second: int = 1

    def __call__(self, probabilities):
        return probabilities[:, self.first] - probabilities[:, self.second]

def steep(answers):
    return answers[:, 0]
"""


def test_scores_of_ones_own_have_settings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(SCORES)
    words = ["rank", "zoo:lenet1", "mnist5k", "--limit", "30", "--json", "--score"]
    assert main([*words, "mine.py:Lead:first=2,second=3"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == "mine.py:Lead"
    assert main([*words, "mine.py:Lead:first=2,second=3,pd"]) == 2
    assert "one score makes an order, got mine.py:Lead:first=2,second=3, pd; with" in capsys.readouterr().err
    assert main([*words, "mine.py:steep"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "unnerve: score mine.py:steep asks for answers; its parameters must be among probabilities, logits, predicted, "
        "draws, uniform, neurons, traces\n"
    )


# Scores of dropout


def test_a_network_is_given_dropout(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rank", "zoo:lenet5", "mnist5k", "--limit", "60", "--score", "vro", "--draws", "10"]
    assert main([*arguments, "--dropout", "0.4", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["draws"] == 10
    assert figures["dropout"] == {"rate": 0.4, "places": ["pool1", "pool2", "before:logits"]}
    scores = np.array(read_csv("ranking.csv")["score"])
    assert np.allclose(scores * 10, np.round(scores * 10))
    assert scores[0] > scores[-1]
    assert main([*arguments, "--dropout", "0.2", "--dropout-places", "pool1, before:fc2"]) == 0
    assert "10 draws under dropout 0.2 after pool1, before fc2" in capsys.readouterr().out


def test_a_rate_is_found_for_a_vro(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rank", "zoo:lenet5", "mnist5k", "--limit", "60", "--score", "vr", "--draws", "10"]
    assert main([*arguments, "--dropout", "vro=0.3", "--json"]) == 0
    assert 0.2 < json.loads(capsys.readouterr().out)["dropout"]["rate"] < 0.6


def test_a_networks_own_dropout(capsys: pytest.CaptureFixture[str]) -> None:
    Path("dropping.py").write_text(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.dense = torch.nn.Linear(64, 10)\n"
        "    def forward(self, x):\n"
        "        return self.dense(torch.nn.functional.dropout(x.flatten(1), 0.2, self.training))\n"
    )
    assert main(["rank", "dropping.py:Net", "digits", "--limit", "30", "--score", "mutual_information"]) == 0
    assert "50 draws under the network's own dropout" in capsys.readouterr().out


@pytest.mark.parametrize("scores", ["vro", "pd,vro"])
def test_the_proof_knows_dropout_too(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rank", "zoo:lenet5", "mnist5k", "--limit=60", "--score", scores, "--dropout", "0.4", "--draws", "5"]
    assert main([*arguments, "--evaluate", "--inputs", "20", "--tries", "5", "--repeats", "2", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["score"] == scores.partition(",")[0]
    assert "vro" in figures["scores"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--dropout", "0.4"], "--dropout needs a --score of dropout: mutual_information, predictive_entropy, vr, vro"),
        (["--draws", "9", "--dropout", "0.4"], "--dropout and --draws need a --score of dropout"),
        (["--score", "vro"], "zoo:lenet5 has no dropout that draws could use"),
        (["--score", "vro", "--dropout", "1.5"], "the dropout rate must be in (0, 1), got 1.5"),
        (["--score", "vro", "--dropout", "much"], "--dropout must be a rate in (0, 1), or vro=V, got 'much'"),
        (["--score", "vro", "--dropout", "vr=0.3"], "--dropout must be a rate in (0, 1), or vro=V, got 'vr=0.3'"),
        (["--score", "vro", "--dropout", "vro=2"], "the target VRO must be in (0, 1), got 2.0"),
        (["--score", "vro", "--dropout", "0.4", "--draws", "0"], "draws must be >= 1, got 0"),
        (["--score", "vro", "--dropout-places", "pool1"], "--dropout-places needs --dropout RATE"),
        (["--score", "vro", "--dropout", "0.4", "--dropout-places", "pool"], "zoo:lenet5 calls no layer 'pool'"),
    ],
)
def test_mistakes_with_dropout(given: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "zoo:lenet5", "mnist5k", "--limit", "20", *given]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not Path("ranking.csv").exists()


def test_what_the_data_hold_and_what_the_model_is_given_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("wide.npz", x=np.random.default_rng(0).random((3, 1, 28, 28), dtype=np.float32) * 255)
    command = ["rank", "zoo:lenet5", "wide.npz", "--stored-range", "0,255"]
    assert main(command) == 0
    assert "the data hold values in [0, 255]; zoo:lenet5 is given them in [0, 1]" in capsys.readouterr().err
    assert main([*command, "--model-range", "0,255"]) == 0
    assert "the data hold values in [0, 255]; zoo:lenet5 is given them as they are" in capsys.readouterr().err
    assert main([*command, "--model-range", "1,0"]) == 2
    assert capsys.readouterr().err == "unnerve: --model-range must be two numbers, low < high, got 1.0, 0.0\n"


def test_reference_data_that_no_score_compares_with_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "zoo:lenet1", "mnist5k", "--inputs", "20", "--reference", "mnist5k"]) == 2
    assert "reference data is given, but no score compares with any" in capsys.readouterr().err
    assert not Path("ranking.csv").exists()
