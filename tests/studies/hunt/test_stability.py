"""Models that draw, train themselves, look at the batch or drift are called unstable, and believed only k times."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.reports.campaign.text import campaign_text
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.stability import Stability
from unnerve.subjects.datasets.tensors import tensors


class Steady(nn.Module):
    """Two classes by the mean of sixteen values; fixed weights, on any machine."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(40.0))

    def forward(self, x: Tensor) -> Tensor:
        lit = self.scale * (x.flatten(1).mean(dim=1) - 0.5)
        return torch.stack([-lit, lit], dim=1)


class Noisy(Steady):
    """Adds noise that it draws anew in every pass."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + 0.7 * torch.randn(len(x), 2)


class Trained(Steady):
    """Switches itself to train mode, so that its dropout draws."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        self.train()
        return super().forward(self.dropout(x))


class Batched(Steady):
    """Normalises by the batch, like a batch norm that is never switched to eval mode."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x - x.mean(dim=0, keepdim=True) + 0.48)


class Drifting(Steady):
    """Answers otherwise after so many passes."""

    def __init__(self) -> None:
        super().__init__()
        self.passes = 0

    def forward(self, x: Tensor) -> Tensor:
        self.passes += 1
        return super().forward(x + (0.01 if self.passes > 20 else 0))


@pytest.fixture
def grey() -> Examples:
    values = torch.stack([torch.full((1, 4, 4), 0.45 + 0.001 * row) for row in range(20)])
    noise = 0.02 * (Streams(1, [str(row) for row in range(20)]).uniform(0, 0, (1, 4, 4)) - 0.5)
    return tensors((values + noise).float(), torch.zeros(20, dtype=torch.int64), name="grey")


def hunted(model: nn.Module, data: Any, out: Path, **more: Any) -> Campaign:
    given = {"region": "linf:0.1", "inputs": 12, "shard": 4, **more}
    return unnerve.hunt(model, data, "pgd:steps=6", str(out), **given)


def always(model: nn.Module, campaign: Campaign, runs: int = 30) -> float:
    """Return the share of findings that fail in so many further runs, all of them."""
    inputs, _ = campaign.tensors()
    with torch.no_grad():
        failing = [model(inputs[torch.randperm(len(inputs)).argsort()]).argmax(dim=1) == 1 for _ in range(runs)]
    return float(torch.stack(failing).all(dim=0).float().mean())


def test_a_steady_model_is_called_stable_and_loses_nothing(grey: Examples, tmp_path: Path) -> None:
    campaign = hunted(Steady(), grey, tmp_path / "run")
    assert campaign.stability is not None
    assert (campaign.stability.stable, campaign.stability.changed, campaign.stability.inputs) == (True, 0.0, 12)
    assert campaign.stability.passes == 4, "twice at the start, twice at the end"
    assert campaign.rows()[0]["doubted"] == 0
    assert campaign.rows()[0]["errors"] > 20
    assert "The model is stable" in campaign.stability.text()


@pytest.mark.parametrize(
    ("model", "reason"),
    [(Noisy, "draws at random"), (Trained, "train mode"), (Batched, "normalises by the batch"), (Drifting, "change")],
)
def test_unstable_models_are_called_so_with_the_likely_reason(
    model: type[nn.Module], reason: str, grey: Examples, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    campaign = hunted(model().eval(), grey, tmp_path / "run", proofs=3)
    assert campaign.stability is not None
    assert not campaign.stability.stable
    assert reason in str(campaign.stability.reason)
    assert "3 of 3 runs" in campaign.stability.text()
    assert campaign.summary()["stability"]["stable"] is False


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_seeds_that_people_choose_hide_no_noise(seed: int, grey: Examples, tmp_path: Path) -> None:
    torch.manual_seed(seed)
    campaign = hunted(Noisy(), grey, tmp_path / "run", proofs=3)
    assert campaign.stability is not None
    assert "draws at random" in str(campaign.stability.reason)


def test_findings_of_a_noisy_model_fail_every_time(grey: Examples, tmp_path: Path) -> None:
    torch.manual_seed(3)
    once, often = (hunted(Noisy(), grey, tmp_path / f"run{proofs}", proofs=proofs) for proofs in (2, 60))
    assert often.rows()[0]["doubted"] > once.rows()[0]["doubted"] > 0
    assert often.rows()[0]["errors"] > 0
    assert always(Noisy(), often) >= 0.9 > always(Noisy(), once)


def test_one_disagreement_has_all_findings_judged_again(grey: Examples, tmp_path: Path) -> None:
    class Late(Steady):
        """Is steady at first, and noisy after so many passes."""

        passes = 0

        def forward(self, x: Tensor) -> Tensor:
            type(self).passes += 1
            return super().forward(x) + (3 * torch.randn(len(x), 2) if type(self).passes > 30 else 0)

    torch.manual_seed(3)
    campaign = hunted(Late(), grey, tmp_path / "run", proofs=40)
    steady = hunted(Steady(), grey, tmp_path / "steady")
    assert campaign.stability is not None
    assert not campaign.stability.stable
    first = next(campaign.store.shards(["id"]))[1].num_rows
    assert first < next(steady.store.shards(["id"]))[1].num_rows, "what was stored before the first doubt was settled"


def test_a_resumed_campaign_stays_unstable(grey: Examples, tmp_path: Path) -> None:
    torch.manual_seed(3)
    first = hunted(Noisy(), grey, tmp_path / "run")
    again = hunted(Noisy(), grey, tmp_path / "run", resume=True)
    assert again.stability is not None
    assert not again.stability.stable
    assert again.findings.num_rows == first.findings.num_rows


@pytest.mark.parametrize("proofs", [1, 0, -3, 10**6])
def test_wrong_numbers_of_proofs_are_refused(proofs: int, grey: Examples, tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=rf"proofs must be in \[2, 1000\], got {proofs}"):
        hunted(Steady(), grey, tmp_path / "run", proofs=proofs)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "value", [[], {}, {"inputs": 1, "passes": 1, "proofs": 1, "changed": 2, "largest": 0}, {"inputs": "1"}]
)
def test_damaged_notes_are_refused(value: Any) -> None:
    with pytest.raises(InvalidData, match=r"stability\.json"):
        Stability.from_json(value)


def test_a_note_survives() -> None:
    stability = Stability(3, 4, 0.25, 0.5, "it draws", 7)
    assert Stability.from_json(stability.to_json()) == stability


def test_reports_and_terminal_say_so_in_their_first_lines(grey: Examples, tmp_path: Path) -> None:
    torch.manual_seed(3)
    noisy, steady = hunted(Noisy(), grey, tmp_path / "noisy"), hunted(Steady(), grey, tmp_path / "steady")
    said = "The model is unstable: it draws at random"
    assert said in " ".join(campaign_text(noisy).splitlines()[:3])
    assert "unstable" not in campaign_text(steady)
    text = re.sub(r"<(style|script).*?</\1>", "", noisy.report().read_text(), flags=re.DOTALL)
    plain = re.sub(r"<[^>]+>", " ", text[text.index("<body") :])
    assert 0 <= plain.index(said) < 3000, "before the first table"
    assert "unstable" not in steady.report().read_text()
