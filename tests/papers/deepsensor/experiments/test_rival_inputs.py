import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import coverage
from unnerve.papers.deepsensor.experiments import rival_inputs as module
from unnerve.papers.deepsensor.experiments.rival_inputs import RivalInputs, rival_inputs
from unnerve.papers.deepsensor.setup import Plan, Setup

PLAN = Plan("rival_inputs", Setup("lenet5", "mnist", "linf:0.2", 4, 4))


def test_rivals_inputs_cover_and_lie_somewhere(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "_BATCHES", 2)
    monkeypatch.setattr(module, "_SHOWN", 20)
    found = rival_inputs(experiment)
    assert list(found.gains) == ["sensitive", "excitable", "DeepXplore", "DLFuzz", "DeepHunter", "random noise"]
    assert {len(values) for by_key in found.gains.values() for values in by_key.values()} == {2}
    assert min(found.gains["DeepHunter"]["kmnc"]) > 0, "its inputs were made, and differ from the seeds"
    assert list(found.plane)[:2] == ["class 1", "class 2"]
    assert len(found.plane["class 1"]) == 20
    assert all(-1 <= value <= 1 for values in found.apart.values() for value in values)


def test_leads_and_separations_by_hand() -> None:
    gains = {"sensitive": {"nc": (0.4, 0.6)}, "DLFuzz": {"nc": (0.1, 0.4)}, "DeepXplore": {"nc": (0.4, 0.6)}}
    found = RivalInputs(PLAN, {"nc": (0.5, 0.5)}, gains, {}, {"DeepHunter": (-0.2, 0.0, -0.1), "DeepSensor": (0.5,)})
    lead = found.lead("sensitive", "DLFuzz", "nc")
    assert lead is not None
    assert lead.mean == pytest.approx(0.25)
    assert found.lead("sensitive", "DeepXplore", "nc") is None, "batches that are alike have no interval"
    apart = found.separation("DeepHunter")
    assert apart is not None
    assert apart.mean == pytest.approx(-0.1)
    assert found.separation("DeepSensor") is None, "one input tells nothing"
    assert list(found.spreads()) == ["DeepHunter, silhouette"]
