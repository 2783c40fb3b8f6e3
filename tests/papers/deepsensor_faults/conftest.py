from collections.abc import Callable
from pathlib import Path

import pytest

from unnerve.core.data.examples import Examples
from unnerve.papers.deepsensor import experiment as module
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import shipped

Begun = Callable[[str, str], tuple[FaultPlan, Experiment]]


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begun:
    """Return what begins an experiment, by its name and a fault: a few digits, LeNet-5 with the weights that ship."""

    def split(self: Experiment, name: str) -> Examples:
        return examples("mnist5k").first(300)

    monkeypatch.setattr(Experiment, "split", split)
    monkeypatch.setattr(module, "trained", lambda *_: shipped("lenet5"))

    def begin(experiment: str, fault: str) -> tuple[FaultPlan, Experiment]:
        setup = Setup("lenet5", "mnist", "linf:0.3", inputs=6, particles=4, iterations=3, recipe=Recipe())
        plan = FaultPlan(experiment, fault, 100, 40, setup)
        return plan, plan.begun(tmp_path, tmp_path)

    return begin
