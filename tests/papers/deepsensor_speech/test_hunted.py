from dataclasses import replace
from pathlib import Path

import pytest
import torch

from unnerve.core.data.examples import Examples
from unnerve.papers.deepsensor import experiment as module
from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.papers.deepsensor_speech.hunted import hunted
from unnerve.papers.deepsensor_speech.setup import SpeechExperiment, begun
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import save_weights
from unnerve.subjects.zoo.deep_speaker import deep_speaker

TINY = "deep_speaker:width=2,blocks=1,embedding=8,bands=16,classes=3"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FaultPlan:
    """Return a plan on a few short clips of noise, whose speakers are what an untrained network takes them for."""
    weights = tmp_path / "tiny.safetensors"
    save_weights(deep_speaker(2, 1, 8, 16, 3), weights, {})
    raw = torch.rand(12, 2000, generator=torch.Generator().manual_seed(0)) - 0.5
    answers = model(f"zoo:{TINY}", weights=weights).observe(raw).predicted

    def split(self: SpeechExperiment, name: str) -> Examples:
        return replace(tensors(raw, answers, "012"), value_range=(-1.0, 1.0))

    monkeypatch.setattr(SpeechExperiment, "split", split)
    monkeypatch.setattr(module, "trained", lambda *_: weights)
    setup = Setup(TINY, "speech/clips.npz", "linf:0.05", inputs=4, particles=4, iterations=2, recipe=Recipe())
    return FaultPlan("hunted", "", 12, 20, setup)


def test_seven_methods_hunt_with_as_many_queries(plan: FaultPlan, tmp_path: Path) -> None:
    found = hunted(plan, begun(plan, tmp_path, tmp_path))
    names = ["excitable", "sensitive", "DeepXplore", "DLFuzz", "DeepHunter", "PGD", "random noise"]
    assert list(found.rows) == names
    assert found.accuracy == 1
    assert all(len(row.errors) == len(row.kinds) == 4 and row.queries <= 20 for row in found.rows.values())
