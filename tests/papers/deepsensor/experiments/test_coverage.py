from dataclasses import replace

import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import coverage as module
from unnerve.papers.deepsensor.experiments.coverage import coverage


def test_coverage_is_gained_in_batches(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCHES", 2)
    seen = coverage(experiment)
    assert list(seen.gains) == ["sensitive", "excitable", "random noise"]
    assert {len(values) for by_key in seen.gains.values() for values in by_key.values()} == {2}
    assert all(0 <= value <= 1 for values in seen.seeds.values() for value in values)
    assert min(seen.gains["sensitive"]["kmnc"]) > 0
    lead = seen.lead("sensitive", "kmnc")
    assert lead is not None
    own, noise = seen.gains["sensitive"]["kmnc"], seen.gains["random noise"]["kmnc"]
    assert lead.mean == pytest.approx((sum(own) - sum(noise)) / 2)
    every = {f"{kind}, {key}": seen.lead(kind, key) for kind in ("sensitive", "excitable") for key in seen.seeds}
    assert seen.spreads() == {name: one for name, one in every.items() if one is not None}
    alike = {name: dict.fromkeys(seen.seeds, (0.1, 0.1)) for name in seen.gains}
    assert replace(seen, gains=alike).lead("sensitive", "nbc") is None, "batches that are alike have no interval"
