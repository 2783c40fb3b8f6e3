"""How models and data are opened."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from unnerve.core.data.openings import Opening, opening_of
from unnerve.core.errors import InvalidSetting
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.models import model
from unnerve.subjects.opening import DataOptions, ModelOptions, normalisation, value_range
from unnerve.subjects.weights import save_weights
from unnerve.subjects.zoo.lenet1 import lenet1


@pytest.mark.parametrize(
    ("given", "means", "deviations"),
    [("0.13/0.31", [0.13], [0.31]), ("0.49,0.48,0.45/0.25,0.24,0.26", [0.49, 0.48, 0.45], [0.25, 0.24, 0.26])],
)
def test_normalisation_from_text(given: str, means: list[float], deviations: list[float]) -> None:
    assert normalisation(given) == (means, deviations)


def test_what_is_no_text_stays_as_it_is() -> None:
    pair = ([0.1], [0.2])
    assert normalisation(pair) is pair
    assert normalisation(None) is None
    assert value_range((0, 255), "stored-range") == (0, 255)
    assert value_range(None, "stored-range") is None


@pytest.mark.parametrize("text", ["1", "a/b", "1/2/3", "", "/", "0.1,/0.2"])
def test_other_normalisations_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^`normalise` must be MEAN/STD, got '{text}'$") as problem:
        normalisation(text)
    assert problem.value.command_line == f"--normalise must be MEAN/STD, got '{text}'"


@pytest.mark.parametrize(("text", "ends"), [("0,255", (0, 255)), ("-1,1", (-1, 1)), (" -1 , 1 ", (-1, 1))])
def test_a_range_from_text(text: str, ends: tuple[float, float]) -> None:
    assert value_range(text, "model-range") == ends


@pytest.mark.parametrize("text", ["0", "0,1,2", "a,b", "", ","])
def test_other_ranges_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^`stored_range` must be LOW,HIGH, got '{text}'$") as problem:
        value_range(text, "stored-range")
    assert problem.value.command_line == f"--stored-range must be LOW,HIGH, got '{text}'"


def test_a_model_is_opened_with_options_or_with_their_fields(tiny_net: nn.Module) -> None:
    x = torch.rand(3, 1, 8, 8)
    whole = model(tiny_net, options=ModelOptions(normalise="0.5/0.25", outputs="logits"))
    fields: Any = {"normalise": ([0.5], [0.25]), "outputs": "logits"}
    assert torch.equal(whole.observe(x).logits, model(tiny_net, **fields).observe(x).logits)
    plain = model(tiny_net, outputs="logits")
    assert torch.allclose(whole.observe(x).logits, plain.observe((x - 0.5) / 0.25).logits, atol=1e-5)


def test_data_is_opened_with_options_or_with_their_fields() -> None:
    values = torch.arange(24.0).view(6, 1, 2, 2) * 10
    whole = examples(values, options=DataOptions(limit=2, stored_range="0,255"))
    fields = examples(values, limit=2, stored_range=(0, 255))
    assert len(whole) == len(fields) == 2
    assert torch.equal(whole.batch(range(2)).inputs, fields.batch(range(2)).inputs)
    assert torch.equal(whole.batch(range(2)).inputs, values[:2])


def test_how_a_model_was_opened_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_weights(lenet1(), "w.safetensors", {})
    Path("net.py").write_text("from unnerve.subjects.zoo.lenet1 import lenet1 as build\n")
    digest = hashlib.sha256(Path("w.safetensors").read_bytes()).hexdigest()
    own = hashlib.sha256(Path("net.py").read_bytes()).hexdigest()
    assert opening_of(model("zoo:lenet5")) == Opening("zoo:lenet5")
    assert opening_of(model("zoo:lenet5|jpeg:75", device="cpu")) == Opening("zoo:lenet5|jpeg:75", {"device": "cpu"})
    given: Any = {"weights": Path("w.safetensors"), "normalise": ([0.5], [0.25]), "neurons": "conv*"}
    options = {"weights": "w.safetensors", "normalise": "0.5/0.25", "neurons": "conv*"}
    assert opening_of(model("zoo:lenet1", **given)) == Opening("zoo:lenet1", options, (), {"weights": digest})
    assert opening_of(model("net.py:build")) == Opening("net.py:build", files={"source": own})


def test_what_exists_only_in_python_has_no_source(tiny_net: nn.Module) -> None:
    assert opening_of(model(tiny_net, normalise="0.5/0.25")) == Opening(None, {"normalise": "0.5/0.25"})
    assert opening_of(model(lambda x: x)) == Opening()
    taken = model("zoo:lenet5")
    assert opening_of(model(taken)) == Opening("zoo:lenet5")
    assert opening_of(with_dropout(taken, 0.4)) == Opening()
    assert opening_of(dropping(taken, examples("digits"), DropoutSettings(0.4))) == Opening("zoo:lenet5")
    assert opening_of(taken) == Opening("zoo:lenet5")


def test_how_data_was_opened_is_known() -> None:
    assert opening_of(examples("digits")) == Opening("digits")
    assert opening_of(examples("mnist5k", split="test", limit=9)) == Opening("mnist5k", {"split": "test", "limit": "9"})
    assert opening_of(examples(torch.zeros(3, 1, 2, 2), limit=2)) == Opening(None, {"limit": "2"})


def test_examples_that_are_opened_again_keep_what_is_known() -> None:
    nine = examples("digits", limit=9)
    assert examples(nine) is nine
    assert opening_of(examples(nine, limit=4)) == Opening("digits", {"limit": "4"})
    assert opening_of(examples(nine, limit=20)) == Opening("digits", {"limit": "9"})
    assert opening_of(examples(nine.take([3, 1]))) == Opening()
