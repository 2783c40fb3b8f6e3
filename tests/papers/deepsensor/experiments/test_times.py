import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import times as module
from unnerve.papers.deepsensor.experiments.rivals import RIVALS
from unnerve.papers.deepsensor.experiments.times import times


def test_every_method_is_timed_from_nothing(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUERIES", 60)
    monkeypatch.setattr(module, "_REPEATS", 1)
    found = times(experiment)
    assert set(RIVALS) <= set(found.iterations) < set(found.queries)
    assert all(second > 0 for values in (*found.iterations.values(), *found.queries.values()) for second in values)
    assert all(len(values) == 1 for values in found.iterations.values())
    assert found.spent["DeepXplore"] == 1 + 2 * 12
    assert not found.spreads(), "seconds are no figure that another machine has to agree with"
    assert not (experiment.folder / "campaigns").exists(), "a resumed campaign would take no time"
