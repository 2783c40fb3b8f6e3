from pathlib import Path

import pytest

from unnerve.papers._ranking import runs
from unnerve.papers._ranking.cells import SCORES, Cell
from unnerve.papers._ranking.runs import parts_of
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe


def test_a_network_is_trained_and_its_ranking_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_split", lambda *_: examples("mnist5k").first(300))
    recipe, trial = Recipe(epochs=4, batch=50, rate=0.003), RankingTrial(inputs=40, tries=20, repeats=2)
    cell = Cell("mnist", "lenet1", recipe, trial, images=250)
    (part,) = parts_of([cell], tmp_path, (4,))
    result = part.run()
    assert part.name == "mnist-lenet1-0"
    assert (result.plan, result.train_count) == (cell, 250)
    assert len(result.eff) == 40
    assert list(result.orders) == list(result.proof.scores) == list(SCORES)
    assert sorted(result.orders["pd"]) == list(range(40))
    assert {len(runs) for runs in result.runs.values()} == {2}
    assert set(result.runs) == {*SCORES, "random", "random_effective"}
    spread = result.spreads()
    assert spread["pd, F-measure"].mean == sum(result.runs["pd"]) / 2
    assert spread["mean Eff"].low <= spread["mean Eff"].mean <= spread["mean Eff"].high
    assert result.proof.first == result.proof.scores["pd"]
    assert (result.proof.inputs, result.proof.tries) == (40, 20)
