"""Score: CLEVER and attack success, input by input."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import DoubtfulAnswers, InvalidData, InvalidModel, InvalidSetting
from unnerve.reports.robustness.page import robustness_page
from unnerve.studies.score.score import score
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

QUICK = "clever:radius=1,batches=10,samples=16"


def halves(count: int = 12) -> Examples:
    """Return inputs of two values; the first is larger in class 1, by 0.1 more from one to the next."""
    first = 0.5 + torch.linspace(-0.3, 0.3, count)
    return tensors(torch.stack([first, torch.full((count,), 0.5)], dim=1), (first > 0.5).long(), classes="ab")


def line() -> nn.Module:
    """Return a network whose answer is 1 where the first value exceeds the second."""
    net = nn.Linear(2, 2, bias=False)
    net.weight.data = torch.tensor([[0.0, 10.0], [10.0, 0.0]])
    return net.eval()


def test_clever_is_the_distance_to_a_straight_border() -> None:
    data = halves()
    found = score(line(), data, measure="clever:radius=10,batches=10,samples=4", inputs=12)
    wanted = (data.batch(range(12)).inputs[:, 0] - 0.5).abs() / 2**0.5
    assert [one.value for one in found.scored] == pytest.approx(wanted.tolist(), rel=1e-3)
    assert found.mean.low <= found.mean.mean <= found.mean.high
    assert all(one.correct for one in found.scored)


def test_attack_success_is_the_share_within_reach_of_the_border() -> None:
    # The values move by up to 0.1 each, and so broken are those that differ by less than 0.2.
    data = halves()
    close = (data.batch(range(12)).inputs[:, 0] - 0.5).abs() < 0.2
    found = score(line(), data, measure="attack_success", attacks="pgd,fgsm", region="linf:0.1")
    assert found.mean.mean == pytest.approx(float(close.float().mean()))
    assert [bool(one.value) for one in found.scored] == close.tolist()
    assert set(found.parts["attack"]) == {"pgd", "fgsm"}
    assert set(found.parts["class"]) == {"a", "b"}
    figures = found.summary()
    assert figures["per_example"][0].keys() == {"id", "value", "correct", "pgd", "fgsm"}
    assert figures["accuracy"] == 1
    json.dumps(figures, allow_nan=False)


def test_misclassified_inputs_are_flagged_and_not_dropped(tiny_model: TorchModule, small_images: Tensor) -> None:
    data = tensors(small_images[:6], torch.zeros(6, dtype=torch.int64), classes="abcd")
    for settings in ({"measure": QUICK}, {"measure": "attack_success", "attacks": "fgsm"}):
        found = score(tiny_model, data, **settings)
        right = tiny_model.observe(small_images[:6]).predicted == 0
        assert [one.correct for one in found.scored] == right.tolist()
        assert found.accuracy is not None
        assert found.accuracy.mean == pytest.approx(float(right.float().mean()))
    assert all(one.value == 1 for one in found.scored if not one.correct)


def test_inputs_that_are_of_the_target_already_are_named_and_not_measured() -> None:
    found = score(line(), halves(), measure="clever:targets=1,radius=10,batches=10,samples=4", inputs=12)
    assert [one.id for one in found.scored] == [str(row) for row in range(6)]
    assert found.unscored == tuple(str(row) for row in range(6, 12))
    told = "6 of 12 inputs are answered with the target, class 1, already: they have no score, and the figures are of"
    assert any(told in text for text in found.warnings)
    figures = found.summary()
    assert figures["unscored"] == list(found.unscored)
    json.dumps(figures, allow_nan=False)
    with pytest.raises(InvalidData, match="all inputs are answered with class 1, which is the target"):
        score(line(), halves().take(range(6, 12)), measure="clever:targets=1,batches=10,samples=4", inputs=6)


@pytest.mark.parametrize("settings", [{"measure": QUICK}, {"measure": "attack_success", "attacks": "fgsm"}])
def test_a_model_that_is_mostly_wrong_is_told(settings: dict[str, Any]) -> None:
    data = halves(20)
    odd = replace(data, labels=np.arange(20) % 2)
    with pytest.warns(DoubtfulAnswers, match="answers are right, which is near chance"):
        found = score(line(), odd, inputs=20, **settings)
    assert any("which is near chance" in text for text in found.summary()["warnings"])
    assert any("which is near chance" in text for text in robustness_page(found, "", "").caveats)


class Steps(nn.Module):
    """A line whose input is rounded: its gradients are zero."""

    def __init__(self) -> None:
        super().__init__()
        self.line = line()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.line((x * 20).round() / 20)
        return out


def test_masked_gradients_are_told() -> None:
    masked = score(Steps(), halves(40), measure="attack_success", attacks="fgsm,random", region="linf:0.1")
    assert any("attacks without them break" in text for text in masked.warnings)
    assert any("are zero at 100 % of the inputs" in text for text in masked.warnings)
    sound = score(line(), halves(40), measure="attack_success", attacks="fgsm,random", region="linf:0.1")
    assert sound.warnings == ()


def test_a_model_without_gradients_is_attacked_without(tiny_model: TorchModule, answered: Examples) -> None:
    def answers(x: Any) -> Any:
        return tiny_model.observe(torch.as_tensor(x)).probabilities.numpy()

    found = score(answers, answered, measure="attack_success", inputs=3, queries=20)
    assert found.more["attacks"] == ["square"]
    with pytest.raises(InvalidModel, match="clever needs gradients"):
        score(answers, answered)


def test_the_same_seed_gives_the_same_scores(tiny_model: TorchModule, answered: Examples) -> None:
    first, again, other = (score(tiny_model, answered, measure=QUICK, inputs=3, seed=seed) for seed in (1, 1, 2))
    assert first.table() == again.table()
    assert first.table() != other.table()


def test_settings_that_would_be_ignored_are_refused(tiny_model: TorchModule, answered: Examples) -> None:
    with pytest.raises(InvalidSetting, match="`attacks` is for `measure` attack_success, got 'clever'"):
        score(tiny_model, answered, attacks="pgd")
    with pytest.raises(InvalidSetting, match="the number of inputs must be >= 1, got 0"):
        score(tiny_model, answered, inputs=0)


MEASURES = """
from dataclasses import dataclass

import torch

from unnerve.core.model import Capability


@dataclass(frozen=True)
class Lead:
    least: float = 0.0
    needs = Capability.ANSWERS
    norm = "logits"
    radius = 10.0

    def scores(self, model, batch, value_range):
        first, second = model.observe(batch.inputs).logits.topk(2, dim=1).values.unbind(dim=1)
        return torch.where(first - second >= self.least, first - second, torch.nan)


class Wide(Lead):
    def scores(self, model, batch, value_range):
        return model.observe(batch.inputs).logits


class Far(Lead):
    radius = 0.1
"""


def test_a_measure_of_ones_own_is_given_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sc.py").write_text(MEASURES)
    data = halves()
    found = score(line(), data, measure="sc.py:Lead:least=0.5")
    wanted = 10 * (data.batch(range(12)).inputs[:, 0] - 0.5).abs()
    known = wanted[wanted >= 0.5].tolist()
    assert [one.value for one in found.scored] == pytest.approx(known)
    assert (len(found.unscored), found.more) == (12 - len(known), {"norm": "logits", "radius": 10.0})
    assert found.warnings == (f"{12 - len(known)} of 12 inputs have no score, and the figures are of the others",)
    assert "sc.py:Lead" in str(robustness_page(found, "it", "today").cards[0])
    with pytest.raises(InvalidSetting, match=r"^scores of sc\.py:Wide must have shape \(8,\), got \(8, 2\)$"):
        score(line(), data, measure="sc.py:Wide")
    with pytest.raises(InvalidSetting, match=r"^scores of sc\.py:Far must be in \[0, 0\.1\], its radius, got 3$"):
        score(line(), data, measure="sc.py:Far")
    with pytest.raises(InvalidSetting, match=r"^sc\.py:torch is no robustness measure"):
        score(line(), data, measure="sc.py:torch")
