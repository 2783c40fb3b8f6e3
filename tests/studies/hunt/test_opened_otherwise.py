"""A campaign is resumed only with a model and data that were opened as they were."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.weights import save_weights
from unnerve.subjects.zoo.lenet1 import lenet1

WITH: dict[str, Any] = {"weights": "w.safetensors", "normalise": "0.5/0.5", "neurons": "conv*"}
Hunt = Callable[..., object]


@pytest.fixture
def hunted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hunt:
    """Return hunted(data options, **model options): resumes a campaign that was begun with ``WITH`` and a limit."""
    monkeypatch.chdir(tmp_path)
    for name, seed in (("w.safetensors", 1), ("v.safetensors", 2)):
        torch.manual_seed(seed)
        save_weights(lenet1(), name, {})

    np.savez("images.npz", x=np.random.default_rng(0).random((50, 1, 28, 28), dtype=np.float32))

    def run(limit: int = 40, **options: Any) -> object:
        data, small = examples("images.npz", limit=limit), {"inputs": 3, "region": "linf:0.1"}
        return hunt(model("zoo:lenet1", **options), data, "random:iterations=1", "run", **small, resume=True)

    run(**WITH)
    return run


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"normalise": "0.1/0.3"}, 'model opened with `normalise`: "0.5/0.5", now "0.1/0.3"; model.hash'),
        ({"normalise": None}, 'model opened with `normalise`: "0.5/0.5", now nothing; model.hash'),
        ({"weights": "v.safetensors"}, "model opened with `weights` (SHA-256): "),
        ({"neurons": None}, 'model opened with `neurons`: "conv*", now nothing)'),
        ({"device": "cpu"}, 'model opened with `device`: nothing, now "cpu")'),
        ({"limit": 41}, 'data opened with `limit`: "40", now "41")'),
    ],
)
def test_another_opening_is_refused_and_said(hunted: Hunt, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSetting) as problem:
        hunted(**WITH | changes)
    assert str(problem.value).startswith("run was begun otherwise (")
    assert said in str(problem.value)


def test_the_same_is_resumed_also_if_its_file_was_moved(hunted: Hunt) -> None:
    hunted(**WITH)
    Path("w.safetensors").rename("elsewhere.safetensors")
    hunted(**WITH | {"weights": Path("elsewhere.safetensors"), "normalise": ([0.5], [0.5])})
