import json
from dataclasses import replace

import pytest

from unnerve.papers._json import from_json, to_json
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import untrained_times as module
from unnerve.papers.deepsensor.experiments.rivals import RIVALS
from unnerve.papers.deepsensor.experiments.untrained_times import UntrainedTimes, untrained_times
from unnerve.papers.deepsensor.rival_tables import rival_time_table


def test_every_method_is_timed_without_data(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SHAPES", {"lenet5": (1, 28, 28)})
    setup = replace(experiment.setup, data="nowhere", inputs=2, iterations=2)
    found = untrained_times(replace(experiment, setup=setup))
    assert set(RIVALS) <= set(found.seconds) == set(found.spent)
    assert all(seconds > 0 for seconds in found.seconds.values())
    assert found.spent["sensitive neurons"] == 2 + 2 * 100
    assert not found.spreads()
    assert not (experiment.folder / "campaigns").exists()
    assert from_json(UntrainedTimes, json.loads(json.dumps(to_json(found)))) == found
    rows = rival_time_table([], [replace(found, seconds={"DLFuzz": 1234.5}, spent={"DLFuzz": 61.0})]).rows
    assert rows == (("lenet5 with random weights, DLFuzz", "1,230 with 61 queries", "-", "178.61"),)
