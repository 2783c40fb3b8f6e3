import json
from dataclasses import replace
from math import nan
from pathlib import Path

from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.report.reproduction import reproduction_files, reproduction_text
from unnerve.studies.reproduction import Claim, Figure, Reproduction, Scatter, Series, Table


def a_reproduction() -> Reproduction:
    no_fit = ExponentialFit(nan, nan, nan, points=0)
    return Reproduction(
        paper="someone",
        size="shortened: 10 inputs",
        claims=(Claim("it works", "always", "once", (0.25, 1.0), True), Claim("a|b", "1", "2", None, False)),
        tables=(Table("Table I: all", ("network", "PD"), (("net1", "3"),)),),
        cells=(),
        skipped=("MNIST: not there",),
        scatters=(Scatter("net1", "mnist", 10, (0.0, 0.5), {"pd": (0.1, 0.2)}, {"pd": no_fit}),),
    )


def test_files() -> None:
    files = reproduction_files(a_reproduction(), "unnerve reproduce someone")
    assert set(files) == {"results.json", "results.md", "report.html"}
    assert json.loads(files["results.json"])["claims"][0] == {
        "claim": "it works",
        "paper": "always",
        "ours": "once",
        "ci95": [0.25, 1.0],
        "held": True,
    }
    assert "| it works | always | once | 0.25 to 1 | held |" in files["results.md"]
    assert "| a\\|b | 1 | 2 | - | not held |" in files["results.md"]
    assert "### Table I: all\n\n| network | PD |\n| --- | --- |\n| net1 | 3 |" in files["results.md"]
    assert "Not run: MNIST: not there." in files["results.md"]


def test_a_papers_own_figures_take_the_place_of_those_of_a_ranking() -> None:
    figure = Figure("Fig. 1: <all>", "x", "y", (Series("one", (1.0,), (2.0,)),))
    page = reproduction_files(replace(a_reproduction(), figures=(figure,)), "unnerve reproduce someone")["report.html"]
    assert "Fig. 1: &lt;all&gt;" in page
    assert "Do suspect inputs fall more easily?" not in page
    assert "Do suspect inputs fall more easily?" in reproduction_files(a_reproduction(), "")["report.html"]


def test_text() -> None:
    lines = reproduction_text(a_reproduction(), Path("runs/x")).splitlines()
    assert lines[1] == "[ held  ] it works"
    assert lines[3] == "[not held] a|b"
    assert lines[-1] == "tables: runs/x/results.md; figures: runs/x/report.html"
