"""How models and data are opened."""

from typing import Any

import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.data import examples
from unnerve.subjects.models import model
from unnerve.subjects.opening import DataOptions, ModelOptions, normalisation, stored_between


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
    assert stored_between((0, 255)) == (0, 255)
    assert stored_between(None) is None


@pytest.mark.parametrize("text", ["1", "a/b", "1/2/3", "", "/", "0.1,/0.2"])
def test_other_normalisations_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^`normalise` must be MEAN/STD, got '{text}'$") as problem:
        normalisation(text)
    assert problem.value.command_line == f"--normalise must be MEAN/STD, got '{text}'"


@pytest.mark.parametrize(("text", "ends"), [("0,255", (0, 255)), ("-1,1", (-1, 1)), (" -1 , 1 ", (-1, 1))])
def test_a_range_from_text(text: str, ends: tuple[float, float]) -> None:
    assert stored_between(text) == ends


@pytest.mark.parametrize("text", ["0", "0,1,2", "a,b", "", ","])
def test_other_ranges_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^`stored_range` must be LOW,HIGH, got '{text}'$") as problem:
        stored_between(text)
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
    assert torch.allclose(whole.batch(range(2)).inputs, values[:2] / 255)
