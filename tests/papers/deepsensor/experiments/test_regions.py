from dataclasses import replace

import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import regions as module
from unnerve.papers.deepsensor.experiments.regions import regions


def test_every_particle_is_looked_at(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RADII", (0.1, 1.0))
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=3, iterations=4))
    rows = regions(experiment).rows
    assert list(rows) == [f"{name}, {radius:g}" for radius in (0.1, 1.0) for name in module.METHODS]
    for row in rows.values():
        assert row.tried == 4 * 4
        assert len(row.failing) == len(row.all_failing) == 3
        for picks, every in zip(row.categories, row.all_categories, strict=True):
            assert picks <= every <= 9
    assert rows["random noise, 1"].length > 3 * rows["random noise, 0.1"].length
    assert sum(rows["sensitive, 1"].all_failing) > 0
