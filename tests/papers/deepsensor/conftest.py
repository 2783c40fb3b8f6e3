from pathlib import Path

import pytest

from unnerve.core.data.examples import Examples
from unnerve.papers.deepsensor import experiment as module
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.setup import Setup
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import shipped


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Return a few seeds of MNIST, and LeNets with the weights that ship."""

    def split(self: Experiment, name: str) -> Examples:
        return examples("mnist5k").first(600)

    monkeypatch.setattr(Experiment, "split", split)
    monkeypatch.setattr(module, "trained", lambda name, *_: shipped(name))
    setup = Setup("lenet5", "mnist", "linf:0.2", inputs=6, particles=4, iterations=12, recipe=Recipe())
    return Experiment(setup, tmp_path, tmp_path)
