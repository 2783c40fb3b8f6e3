import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import rivals as module
from unnerve.papers.deepsensor.experiments.rivals import rivals


def test_rivals_have_one_budget_and_then_their_own(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUERIES", 100)
    found = rivals(experiment)
    names = ("sensitive neurons", "excitable neurons", "DeepXplore", "DLFuzz", "DeepHunter")
    assert tuple(found.equal) == (*names, "TensorFuzz", "PGD", "random noise")
    assert tuple(found.published) == names
    assert {row.region for row in found.equal.values()} == {"linf:0.2"}
    assert all(row.queries <= 6 * 100 for row in found.equal.values()), "a budget is a budget"
    assert found.equal["PGD"].seeds_broken == 6
    assert found.published["DeepXplore"].region == "linf:1"
    assert found.published["DeepHunter"].region.startswith("lineage")
    assert found.published["DeepXplore"].queries == 6 * (1 + 2 * 12), "clean, then both passes of each iteration"
    assert found.published["DeepHunter"].queries <= 6 * 20 * 12
    assert "equal, PGD, broken" in found.spreads()
