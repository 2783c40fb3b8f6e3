"""Methods from a user's file go all the way: hunt, store, report, resume."""

from pathlib import Path

import pytest

from unnerve.cli.main import main

PAGE = Path(__file__).parents[2] / "docs/how-to/bring-your-method.md"
SEARCH = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Points:
    iterations: int = 3
    width = 4

    def points(self, space, centre, streams):
        for step in range(self.iterations):
            fitness, keep = yield space.samples(centre, streams, step, self.width)
            centre, streams = centre[keep], streams[keep.nonzero().flatten().tolist()]
"""
WORDS = ["hunt", "zoo:lenet1", "mnist5k", "--limit", "40", "--inputs", "4", "--region", "linf:0.3"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PAGE.read_text().partition('title="my_attacks.py"\n')[2].partition("```")[0])
    Path("searches.py").write_text(SEARCH)


def test_a_campaign_with_a_hunter_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "--method", "mine.py:Shrinking:steps=5", "--out", "a"]
    assert main(words) == 0
    assert main([*words, "--resume"]) == 0
    assert main(["report", "a"]) == 0
    capsys.readouterr()
    with Path("mine.py").open("a") as file:
        file.write("\n\nLATER = 1\n")
    assert main([*words, "--resume"]) == 2
    assert "a was begun otherwise (methods.1.source: " in capsys.readouterr().err
    assert main(["report", "a"]) == 0, "a report needs no program"


def test_a_setting_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "--method", "guided:search=searches.py:Points(iterations=2)", "--out", "b"]
    assert main(words) == 0
    assert main([*words, "--resume"]) == 0
    assert "4" in capsys.readouterr().out
