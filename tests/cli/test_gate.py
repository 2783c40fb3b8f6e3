"""Limits on the command line: verdicts, exit codes, and the badge of the report."""

import json
from pathlib import Path

import pytest

from unnerve.cli.main import main

MODEL = ["zoo:lenet1", "mnist5k"]
HUNT = ["hunt", *MODEL, "--method", "pgd:steps=5", "--inputs", "12", "--region", "linf:0.3", "--out", "runs/a"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_broken_limit_ends_a_hunt_with_1_and_marks_its_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HUNT, "--fail-if", "broken > 5%", "--fail-if", "errors > 1000000"]) == 1
    said = capsys.readouterr().out
    assert "\nBROKEN: more than 5 % break: " in said
    assert "\nHELD: errors at most 1,000,000: " in said
    assert main(["report", "runs/a"]) == 0
    page = Path("runs/a/report.html").read_text()
    assert 'class="badge broken"' in page
    assert "Broken: more than 5 % break (1 other limit held)" in page


def test_undecided_fails_only_where_that_is_wished(capsys: pytest.CaptureFixture[str]) -> None:
    limit = ["--fail-if", "broken > 97%", "--json"]
    assert main([*HUNT, *limit]) == 0
    gate = json.loads(capsys.readouterr().out)["gate"]
    assert (gate["verdict"], gate["passes"], gate["limits"][0]["quantity"]) == ("undecided", True, "broken")
    assert main([*HUNT, *limit, "--resume", "--undecided", "fail"]) == 1


def test_an_arena_is_judged_by_method(capsys: pytest.CaptureFixture[str]) -> None:
    arena = ["arena", *MODEL, "--methods", "pgd:steps=3,random:iterations=1", "--queries", "6", "--inputs", "8"]
    assert main([*arena, "--region", "linf:0.3", "--fail-if", "random.queries > 0", "--json"]) == 1
    assert [one["quantity"] for one in json.loads(capsys.readouterr().out)["gate"]["limits"]] == ["random.queries"]


def test_cover_and_rank_and_map_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cover", *MODEL, "--inputs", "20", "--fail-if", "nc < 99.9%"]) == 1
    ranking = ["--evaluate", "--inputs", "60", "--repeats", "3", "--tries", "10", "--report", "r.html"]
    assert main(["rank", *MODEL, *ranking, "--fail-if", "f_measure < 0"]) == 0
    assert 'class="badge held"' in Path("r.html").read_text()
    mapping = ["--attacks", "fgsm", "--inputs", "8", "--draws", "5", "--dropout", "0.3", "--region", "linf:0.3"]
    assert main(["map", *MODEL, *mapping, "--fail-if", "looks_benign.benign <= 100%", "--json"]) == 1
    assert 'class="badge broken"' in Path("runs/map/map.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*HUNT, "--fail-if", "broke > 5%"], "a limit must be of one of broken, accuracy, seeds_broken"),
        ([*HUNT, "--fail-if", "errors > 5%"], "which is a count, must not be in %"),
        ([*HUNT, "--fail-if", "much"], "a limit must be like 'broken > 5%', got 'much'"),
        ([*HUNT, "--undecided", "maybe"], "undecided must be pass or fail, got 'maybe'"),
        (["rank", *MODEL, "--fail-if", "f_measure > 3"], "--fail-if needs --evaluate"),
        (["cover", *MODEL, "--fail-if", "broken > 5%"], "a limit must be of one of"),
    ],
)
def test_mistakes_show_before_anything_is_written(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
