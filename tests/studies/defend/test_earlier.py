"""What defences learnt is written, and given back to a later run."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

import unnerve
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_images, tiny_model, tiny_net

DEFENCES = "squeezing,mutation:mutants=40,rate=0.1,kept=0.2,activation_classifier:radius=0.3,label_smoothing:epochs=2"


def data() -> Any:
    images = torch.cat([small_images(), small_images().flip(-1), small_images().flip(-2)])
    return tensors(images, tiny_model().observe(images).predicted, classes="abcd", name="small")


def test_what_was_learnt_is_given_back(tmp_path: Path) -> None:
    out = tmp_path / "first.json"
    first = unnerve.defend(tiny_net(), data(), (), DEFENCES, inputs=30)
    first.save(out)
    figures = json.loads(out.read_text())
    assert figures["weights"] == {"label_smoothing:epochs=2": "first-label_smoothing-epochs=2.safetensors"}
    weights = tmp_path / "first-label_smoothing-epochs=2.safetensors"
    opened = unnerve.model(tiny_net(), weights=weights)
    trained = first.hardened["label_smoothing:epochs=2"]
    assert torch.equal(opened.observe(small_images()).logits, trained.observe(small_images()).logits)
    # Fewer clean inputs would give other thresholds and weights.
    again = unnerve.defend(tiny_net(), data(), (), f"{DEFENCES},bit_depth", inputs=30, calibration=20, learnt=str(out))
    own = [row for row in again.rows if row.defence != "bit_depth"]
    assert own == list(first.rows)
    for text, learnt in first.calibration.items():
        assert again.calibration[text] == {**learnt, "learnt_in": str(out)}
        assert f"{text}: as learnt in {out}." in again.text()
    assert again.learnt_from == first.learnt_from[-20:] + first.learnt_from[:-20]
    anew = unnerve.defend(tiny_net(), data(), (), DEFENCES, inputs=30, calibration=20)
    assert anew.calibration["squeezing"] != first.calibration["squeezing"]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "first.json"
    unnerve.defend(tiny_net(), data(), (), "squeezing", inputs=10).save(out)
    other = tiny_net()
    with torch.no_grad():
        next(other.parameters()).mul_(1.5)
    settings: dict[str, Any] = {"inputs": 10, "learnt": str(out)}
    with pytest.raises(InvalidSetting, match=r"first.json is of another model, "):
        unnerve.defend(other, data(), (), "squeezing", **settings)
    with pytest.raises(InvalidSetting, match=r"\d+ of the inputs that it learnt from are tested or were attacked now"):
        unnerve.defend(tiny_net(), data(), (), "squeezing", inputs=40, learnt=str(out))
    figures = json.loads(out.read_text())
    figures["calibration"]["squeezing"]["window"] = 3
    out.write_text(json.dumps(figures))
    with pytest.raises(InvalidSetting, match=r"squeezing learnt with window=3, not 2$"):
        unnerve.defend(tiny_net(), data(), (), "squeezing", **settings)
    out.write_text("{}")
    with pytest.raises(InvalidData, match=r"no figures that unnerve defend wrote with `out`$"):
        unnerve.defend(tiny_net(), data(), (), "squeezing", **settings)
    with pytest.raises(InvalidData, match=r"none.json: no figures of unnerve defend"):
        unnerve.defend(tiny_net(), data(), (), "squeezing", inputs=20, learnt=str(tmp_path / "none.json"))
