"""What a campaign notes of its parts, for reports."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unnerve.campaign.sealing.header import sealed_header
from unnerve.core.data.examples import Examples
from unnerve.core.model import Capability
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

SMALL: dict[str, Any] = {"region": "linf:0.3", "inputs": 3}


def test_what_the_model_offers_is_noted_and_decides_nothing(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    found = hunt(tiny_model, answered, "random:iterations=2", tmp_path / "a", **SMALL)
    assert found.offers == tiny_model.offers
    assert [(one.blind, one.one_step) for one in found.plan.methods] == [(True, False)]
    assert found.plan.region.normed
    header = tmp_path / "a" / "campaign.json"
    kept = json.loads(header.read_text())
    # As an earlier build wrote it.
    del kept["plan"]["model"]["offers"], kept["plan"]["facts"]["methods"][0]["blind"]
    del kept["plan"]["facts"]["region"]["normed"]
    header.write_text(json.dumps(sealed_header(kept)))
    again = hunt(tiny_model, answered, "random:iterations=2", tmp_path / "a", resume=True, **SMALL)
    assert tiny_model.offers in again.offers, "what is not known is not ruled out"
    assert again.plan.region.normed


def test_a_function_offers_answers_alone(tmp_path: Path) -> None:
    box = BlackBox(lambda x: np.stack([x[:, 0, 0, 0], x[:, 0, 0, 1]], axis=1), "box", "logits")
    data = tensors(torch.linspace(0, 1, 3 * 64).view(3, 1, 8, 8))
    assert hunt(box, data, "random:iterations=2", tmp_path / "b", **SMALL).offers == Capability.ANSWERS
