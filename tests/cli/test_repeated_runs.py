"""The command that a report shows, run in a shell, finds the same."""

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

import unnerve
from unnerve.cli.main import main
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.weights import fill, save_weights, shipped
from unnerve.subjects.zoo.lenet1 import lenet1

COMMAND = re.compile(r'<div class="command"><pre tabindex="0"><code>(unnerve .*?)</code>', re.DOTALL)
SHELL = "in a shell"
OPENED = ["--weights", "my weights.safetensors", "--normalise", "0.4/0.9", "--neurons", "conv*", "--outputs", "logits"]
IMAGES = ["zoo:lenet1", "imagefolder:my images,size=28,grey=true", *OPENED, "--split", "test", "--limit", "60"]
BOUNDED = [*IMAGES, "--region", "linf:0.4,low=0.05,high=0.995"]
ARRAYS = ["net.py:build|bit_depth:5", "npz:wide.npz", "--stored-range", "-1,1", "--limit", "50"]
DROPOUT = ["--dropout", "0.3", "--dropout-places", "pool*", "--draws", "5"]
SQUARE = ["--attacks", "square:iterations=9", "--inputs", "5"]
HARDENED = ["--repair", "retrain:epochs=1", "--attacks", "fgsm", "--inputs", "4", "--clever-inputs", "0"]
SMALL = ["--inputs", "6", "--queries", "60", "--seed", "3", "--shard", "4"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work beside weights that differ from the shipped ones, a folder of images, arrays, and a file of Python."""
    monkeypatch.chdir(tmp_path)
    path, module = shipped("lenet1"), lenet1()
    assert path is not None
    fill(module, path)
    with torch.no_grad():
        next(module.parameters()).mul_(0.9)
    save_weights(module, "my weights.safetensors", {})
    digits = unnerve.examples("mnist5k", limit=60)
    batch = digits.batch(range(60))
    assert batch.labels is not None
    pixels = (batch.inputs * 255).round().to(torch.uint8).squeeze(1).numpy()
    for number, (image, label) in enumerate(zip(pixels, batch.labels.tolist(), strict=True)):
        folder = Path("my images/test") / str(label)
        folder.mkdir(parents=True, exist_ok=True)
        # The darkest value is above 0.05, so that the region has bounds of its own.
        bright = np.clip(image, 40, 215)
        Image.fromarray(bright).convert("RGB").resize((56, 56), Image.Resampling.NEAREST).save(folder / f"{number}.png")
    np.savez("wide.npz", x=batch.inputs.numpy() * 2 - 1, y=batch.labels.numpy())
    Path("net.py").write_text("import unnerve\n\ndef build():\n    return unnerve.model('zoo:lenet1').module\n")


def shown(page: str | Path) -> list[str]:
    """Return the commands that a page shows."""
    # Options stand in elements of their own, so that lines break between them.
    return [html.unescape(re.sub("</?span>", "", line)) for line in COMMAND.findall(Path(page).read_text())]


def run_again(line: str, capsys: pytest.CaptureFixture[str], in_a_shell: bool) -> str:
    """Run a line as a person would who copied it, in a shell or, which is quicker, in this process; return its JSON."""
    if not in_a_shell:
        capsys.readouterr()
        assert main([*shlex.split(line)[1:], "--json"]) == 0, f"{line}: {capsys.readouterr().err}"
        return capsys.readouterr().out
    command = f'unnerve() {{ {shlex.quote(sys.executable)} -m unnerve.cli.main "$@"; }}; {line} --json'
    source = str(Path(unnerve.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


def findings(folder: str) -> list[Any]:
    table = Campaign.at(folder).findings
    return sorted(zip(table["method"].to_pylist(), table["id"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    "words",
    [
        [SHELL, "hunt", *BOUNDED, "--method", "pgd:steps=4,step=0.1"],
        ["hunt", *ARRAYS, "--method", "random:iterations=20", "--stop-at-first", "--quantised", "--region", "linf:1"],
        ["arena", *BOUNDED, "--methods", "random,pgd:steps=3", "--oracle", "changed", "--pools", "2"],
        ["hunt", *BOUNDED, "--method", "deepsensor:particles=5", "--reference", "mnist5k"],
        ["map", *BOUNDED, *DROPOUT, "--attacks", "fgsm,pgd:steps=3", "--thresholds", "0.2,0.7,0.4,0.6"],
    ],
    ids=lambda words: " ".join((words[0], *words[-4:])),
)
def test_a_campaign_is_repeated(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    in_a_shell, words = SHELL in words, [word for word in words if word != SHELL]
    assert main([*words, *SMALL, "--out", "my run", "--json"]) == 0, capsys.readouterr().err
    line = json.loads(capsys.readouterr().out)["command"]
    assert "'my run-again'" in line
    if words[0] == "map":
        assert shown("my run/map.html")[0] == line
    else:
        assert main(["report", "my run"]) == 0
        assert f"\nAgain: {line}\n" in capsys.readouterr().out
        assert shown("my run/report.html")[0] == line
        assert main(["report", "my run", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["commands"] == [line]
    run_again(line, capsys, in_a_shell)
    assert findings("my run-again") == findings("my run") != []
    assert Campaign.at("my run-again").plan.data == Campaign.at("my run").plan.data
    if words[0] == "map":
        assert Path("my run-again/map.parquet").read_bytes() == Path("my run/map.parquet").read_bytes()


def test_a_comparison_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Its page has a line for either run, and one that compares what they make."""
    opened = {"old run": IMAGES, "new run": [*IMAGES[:2], "--normalise", "0.3/0.7", *IMAGES[6:]]}
    for folder, words in opened.items():
        hunt = ["hunt", *words, "--method", "fgsm", "--region", "linf:0.15", *SMALL, "--out", folder]
        assert main(hunt) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert main(["report", *opened, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["report"] == "new run/comparison.html"
    lines = shown(first["report"])[0].splitlines()
    assert [line.split()[1] for line in lines] == ["hunt", "hunt", "report"]
    assert lines[:2] == first["commands"]
    for line in lines[:2]:
        run_again(line, capsys, in_a_shell=False)
    for folder in opened:
        assert findings(f"{folder}-again") == findings(folder) != []
    again = json.loads(run_again(lines[2], capsys, in_a_shell=True))
    assert first["comparison"]["fixed"]
    named = {"old": "old run-again", "new": "new run-again"}
    assert again["comparison"] == first["comparison"] | named
    assert again["report"] == "new run-again/comparison.html"


def test_campaigns_side_by_side_are_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    for folder, method in (("one", "pgd:steps=3"), ("two", "random:iterations=9"), ("three", "fgsm")):
        assert main(["hunt", *BOUNDED, "--method", method, *SMALL, "--out", folder]) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert main(["report", "one", "two", "three", "--out", "all.html", "--json"]) == 0
    lines = shown("all.html")[0].splitlines()
    assert lines == json.loads(capsys.readouterr().out)["commands"]
    for line, folder in zip(lines, ("one", "two", "three"), strict=True):
        run_again(line, capsys, in_a_shell=False)
        assert findings(f"{folder}-again") == findings(folder)


def test_a_reproduction_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a paper's parts the one that trains nothing, on digits instead of its data set."""
    digits = unnerve.examples("mnist5k", limit=300).batch(range(300))
    assert digits.labels is not None
    Path("my data/mnist").mkdir(parents=True)
    x, y = (digits.inputs * 255).round().to(torch.uint8).squeeze(1).numpy(), digits.labels.numpy()
    np.savez("my data/mnist/mnist.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    words = ["reproduce", "nsatp", "--data", "my data", "--only", "motivation", "--seed", "3", "--out", "my run"]
    assert main(words) == 0, capsys.readouterr().err
    (line,) = shown("my run/report.html")
    assert shlex.split(line) == ["unnerve", *words]
    # The same command goes on with finished parts: without them it must make everything again.
    Path("my run").rename("first")
    said = json.loads(run_again(line, capsys, in_a_shell=True))
    assert [claim["verdict"] for claim in said["claims"]]
    assert Path("my run/results.json").read_bytes() == Path("first/results.json").read_bytes()
    cells = [Path(folder, "cells/motivation.json") for folder in ("first", "my run")]
    assert cells[0].stat().st_mtime_ns < cells[1].stat().st_mtime_ns, "it was made again"
    # When and for how long is beside the point; two runs may take the same time.
    first, again = (json.loads(cell.read_text()) | {"made": None} for cell in cells)
    assert first == again


def test_the_usual_settings_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hunt", "zoo:lenet1", "mnist5k", "--limit", "40", "--inputs", "100", "--seed", "0"]) == 0
    capsys.readouterr()
    line = "unnerve hunt zoo:lenet1 mnist5k --out runs/hunt-again --limit 40"
    assert shown(unnerve.report("runs/hunt"))[0] == line
    assert main(["arena", "zoo:lenet1", "mnist5k", "--limit", "9", "--methods", "random", "--queries", "1000"]) == 0
    line = "unnerve arena zoo:lenet1 mnist5k --methods random --out runs/arena-again --limit 9"
    assert shown(unnerve.report("runs/arena"))[0] == line


NOT_REPEATED = ("seconds", "command", "out", "report", "weights")
"""Keys that say how long it took, and where it was written."""

HUNTED = ["--campaign", "--against", "--from", "--also"]
"""Options that name a campaign, which is made first."""


def figures(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key not in NOT_REPEATED}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ([SHELL, "rank", *IMAGES, "--evaluate", "--inputs", "30", "--tries", "10", "--seed", "2"], "ranking.html"),
        (["rank", *IMAGES, *DROPOUT, "--evaluate", "--score", "vro,gini", "--tries", "5"], "ranking.html"),
        (["rank", *ARRAYS, "--evaluate", "--repeats", "3", "--tries", "5", "--report", "my page.html"], "my page.html"),
        (["react", *BOUNDED, *SMALL, "--methods", "pgd:steps=4", "--reaction", "path:points=3"], "reactions.html"),
        (["corrupt", *IMAGES, "--changes", "rotation,brightness", "--severities", "2"], "corruption.html"),
        (
            ["defend", *IMAGES, "--against", "my run", "--defences", "jpeg:50", "--inputs", "9", "--report", "d.html"],
            "d.html",
        ),
        (["react", *IMAGES, "--campaign", "my run", "--pairs", "3", "--out", "my page.html"], "my page.html"),
        (["score", *IMAGES, "--measure", "clever:batches=10,samples=4", "--inputs", "4", "--seed", "2"], "score.html"),
        (
            ["score", *ARRAYS, "--measure", "attack_success", *SQUARE, "--out", "s.html"],
            "s.html",
        ),
        (
            ["harden", *IMAGES, "--from", "my run", *HARDENED, "--seed", "4", "--out", "my net"],
            "my net/report.html",
        ),
        (["diagnose", *IMAGES, "--train", "mnist5k", "--inputs", "40", "--seed", "2"], None),
        (["cover", *IMAGES, "--profile", "mnist5k", "--profile-limit", "30", "--inputs", "25"], None),
        (["cover", *IMAGES, "--criteria", "nc:0.5,tknc", "--inputs", "25", "--report", "c.html"], "c.html"),
        (["cover", *IMAGES, "--criteria", "nc:0.5,tknc", "--also", "my run", "--out", "figures.json"], None),
        (["rank", *IMAGES, *DROPOUT, "--score", "vro", "--inputs", "20", "--out", "my order.csv"], None),
    ],
    ids=lambda words: " ".join(words[-4:]) if isinstance(words, list) else "",
)
def test_figures_are_repeated(words: list[str], page: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    in_a_shell, words = SHELL in words, [word for word in words if word != SHELL]
    if set(words) & set(HUNTED):
        assert main(["hunt", *IMAGES, "--region", "linf:0.4", *SMALL, "--out", "my run"]) == 0
    capsys.readouterr()
    assert main([*words, "--json"]) == 0, capsys.readouterr().err
    first = json.loads(capsys.readouterr().out)
    assert page is None or shown(page)[0] == first["command"]
    kept = {
        name: Path(name).read_bytes() for name in ("my order.csv", "my net/weights.safetensors") if Path(name).exists()
    }
    again = json.loads(run_again(first["command"], capsys, in_a_shell))
    assert figures(again) == figures(first)
    for name, content in kept.items():
        assert Path(name.replace("my net", "my net-again")).read_bytes() == content
    # Where a folder is written, that of the first run is left alone.
    assert again.get("report") == (page and page.replace("my net", "my net-again"))


def test_coverage_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    model = unnerve.model("zoo:lenet1", weights="my weights.safetensors", normalise=([0.4], [0.9]), neurons="conv*")
    data = unnerve.examples("imagefolder:my images,size=28,grey=true", split="test", limit=20)
    covered = unnerve.cover(model, data, "mnist5k", "nc:0.5,kmnc")
    (line,) = shown(covered.report("cover.html"))
    said = json.loads(run_again(line, capsys, in_a_shell=False))
    assert {key: said[key] for key in covered.values} == covered.values
    assert said["neurons"] == covered.summary()["neurons"]


def test_a_diagnosis_is_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Its page is the one of any result that has none of its own."""
    model = unnerve.model("zoo:lenet1", weights="my weights.safetensors", normalise=([0.4], [0.9]))
    data = unnerve.examples("imagefolder:my images,size=28,grey=true", split="test", limit=60)
    found = unnerve.diagnose(model, data, "mnist5k", inputs=50, patch=0.6, reachable=0.8, seed=3)
    page = found.report("diagnosis.html")
    (line,) = shown(page)
    said = json.loads(run_again(line, capsys, in_a_shell=False))
    told = html.unescape(page.read_text().partition('<pre class="scroll" tabindex="0">')[2].partition("</pre>")[0])
    assert found.summary() == figures(json.loads(told)) == figures(said)
    assert 0 < said["patched_changed"] < 1


def test_what_exists_only_in_python_has_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.Sequential(*lenet1().children())
    images = unnerve.examples("mnist5k", limit=9).batch(range(9)).inputs
    found = unnerve.hunt(net, images, "random:iterations=2", str(tmp_path / "a"), inputs=3)
    page = found.report().read_text()
    assert shown(tmp_path / "a/report.html") == []
    assert "No command repeats this run: its model and its data exist only in Python." in page
    ranked = unnerve.evaluate_ranking(net, "mnist5k", "pd", inputs=10, tries=3, repeats=2)
    assert "No command repeats this run: its model exists only in Python." in ranked.report("r.html").read_text()
    taken = unnerve.examples("mnist5k", limit=9).take([3, 1, 2])
    covered = unnerve.cover("zoo:lenet1", taken, criteria="nc").report("c.html").read_text()
    assert "No command repeats this run: its data exists only in Python." in covered
