import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from unnerve.cli.main import main

SMALL = ["map", "zoo:lenet1", "mnist5k", "--inputs", "8", "--attacks", "fgsm,pgd:steps=4", "--region", "linf:0.3"]


def test_maps_and_keeps_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMALL, "--dropout", "0.3", "--draws", "6", "--out", "run", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"pcs", "vro", "vr", "pe", "mi", "patterns", "auc"} <= set(figures)
    table = pq.read_table(figures["table"], use_threads=False).to_pylist()
    assert len(table) == sum(figures["counts"].values())
    assert figures["counts"]["benign"] == 8
    assert {row["pattern"] for row in table} <= {"LL", "LH", "HL", "HH", ""}
    assert figures["dropout"].startswith("0.3 at ")
    page = Path("run/map.html")
    assert Path(figures["report"]).samefile(page)
    assert "tells attacked from benign images" in page.read_text()
    page.unlink()
    assert main([*SMALL, "--dropout", "0.3", "--draws", "6", "--out", "run", "--resume"]) == 0
    said = capsys.readouterr().out
    assert "tells benign from adversarial inputs best" in said
    report, following = said.splitlines()[-2:]
    assert report == f"Report: {page.resolve()}"
    assert following.startswith("Next: unnerve defend ")
    assert " --against run " in following
    page.unlink()
    assert main([*SMALL, "--dropout", "0.3", "--draws", "6", "--out", "run", "--resume", "--no-html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"] is None
    assert not page.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([], "map needs dropout, which zoo:lenet1 does not offer"),
        (["--dropout", "0.3", "--draws", "0"], "draws must be >= 1, got 0"),
        (["--dropout", "1.5"], "the dropout rate must be in (0, 1), got 1.5"),
        (["--dropout", "0.3", "--dropout-places", "nowhere"], "nowhere"),
        (["--dropout", "0.3", "--thresholds", "1,2"], "--thresholds must be four numbers"),
        (["--dropout", "0.3", "--thresholds", "0.9,0.1,0.4,0.6"], "thresholds of confidence must be 0 <= low"),
    ],
)
def test_mistakes_cost_nothing(
    wrong: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMALL, *wrong, "--out", "run"]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
