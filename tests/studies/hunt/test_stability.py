"""Models that draw, train themselves, look at the batch or drift are called unstable, and believed only k times."""

import json
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
from unnerve.studies.hunt._stability_probe import StabilityProbe
from unnerve.subjects.adapters.torch_module import TorchModule
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


class Dropped(Trained):
    """Switches itself to train mode too, and drops so little that some findings always fail."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.05)


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


class Shifted(nn.Module):
    """The probability of the second class is the brightness, and more by whatever it is told."""

    shift = 0.0

    def forward(self, x: Tensor) -> Tensor:
        lit = (x.flatten(1).mean(dim=1) + self.shift).clamp(0, 1)
        return torch.stack([1 - lit, lit], dim=1)


class ShiftedLater(Shifted):
    """Takes all inputs for brighter by 0.2 as soon as a folder has a shard."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def forward(self, x: Tensor) -> Tensor:
        self.shift = 0.2 if any(self.folder.glob("*.parquet")) else 0.0
        return super().forward(x)


class Selective(Steady):
    """Adds noise to what is bright alone: what it is asked at the start and at the end is dark, and steady."""

    def forward(self, x: Tensor) -> Tensor:
        bright = (x.flatten(1).mean(dim=1, keepdim=True) > 0.5).float()
        return super().forward(x) + 3 * bright * torch.randn(len(x), 2)


class Placed(Steady):
    """Takes what is bright and stands at an odd place of the pass for dark."""

    def forward(self, x: Tensor) -> Tensor:
        said = super().forward(x)
        odd = (torch.arange(len(x)) % 2 == 1) & (said[:, 1] > 0)
        return torch.where(odd[:, None], said.flip(1), said)


@pytest.fixture
def stairs() -> Examples:
    """Return twelve images of brightness 1/24, 3/24 to 23/24: half of them are brighter than 0.5."""
    lit = (2 * torch.arange(12.0) + 1) / 24
    return tensors(lit.view(12, 1, 1, 1).expand(12, 1, 4, 4).contiguous(), (lit > 0.5).long(), name="stairs")


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


def test_findings_of_a_model_that_trains_itself_fail_every_time(grey: Examples, tmp_path: Path) -> None:
    torch.manual_seed(3)
    once, often = (
        hunted(Dropped(), grey, tmp_path / f"run{proofs}", region="linf:0.2", proofs=proofs) for proofs in (2, 60)
    )
    assert often.stability is not None
    assert "train mode" in str(often.stability.reason)
    assert often.rows()[0]["doubted"] > once.rows()[0]["doubted"] + 10
    assert often.rows()[0]["errors"] > 10
    assert always(Dropped(), often) >= 0.8
    assert always(Dropped(), once) <= 0.6


def test_changed_answers_are_counted_over_all_looks(stairs: Examples) -> None:
    model = Shifted()
    probe = StabilityProbe(TorchModule(model), stairs)
    start = probe.at_start()
    assert (start.stable, start.inputs, start.passes, start.changed, start.largest) == (True, 12, 2, 0.0, 0.0)
    model.shift = 0.2
    probe.at_end()
    model.shift = 0.3
    end = probe.at_end()
    assert "change while it runs" in str(end.reason)
    # 0.2 more changes the classes of 9/24 and 11/24, and 0.3 more those of 5/24 and 7/24 too: 0, 0, 2, 2, 4 and 4.
    assert end.passes == 6
    assert end.changed == pytest.approx(12 / 72)
    assert end.largest == pytest.approx(0.3, abs=1e-6)
    said = end.text()
    assert "Of 12 inputs asked again 6 times, 16.7% of the answers changed, and probabilities by up to 0.3." in said


def test_a_model_that_answers_as_at_first_again_was_unstable_all_the_same(stairs: Examples) -> None:
    model = Shifted()
    probe = StabilityProbe(TorchModule(model), stairs)
    probe.at_start()
    for model.shift in (0.3, 0.0):
        end = probe.at_end()
    assert (end.stable, end.passes) == (False, 6)
    assert end.changed == pytest.approx(8 / 72)
    assert end.largest == pytest.approx(0.3, abs=1e-6)


def test_what_changed_by_the_end_is_stored_and_shown(stairs: Examples, tmp_path: Path) -> None:
    campaign = hunted(ShiftedLater(tmp_path / "run" / "shards"), stairs, tmp_path / "run")
    noted = json.loads((tmp_path / "run" / "stability.json").read_text())
    shown = campaign.summary()["stability"]
    for one in (noted, shown):
        # Two looks at the start agree; in the two at the end 9/24 and 11/24 have become more than 0.5.
        assert (one["inputs"], one["passes"], one["changed"]) == (12, 4, pytest.approx(4 / 48))
        assert one["largest"] == pytest.approx(0.2, abs=1e-6)
    assert "8.3% of the answers changed, and probabilities by up to 0.2." in " ".join(campaign_text(campaign).split())


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


@pytest.mark.parametrize("model", [Selective, Placed])
def test_one_finding_that_does_not_fail_again_makes_a_model_unstable(
    model: type[nn.Module], grey: Examples, tmp_path: Path
) -> None:
    """Though all that it was asked at the start and at the end was answered alike."""
    torch.manual_seed(3)
    campaign = hunted(model(), grey, tmp_path / "run")
    stability = campaign.stability
    assert stability is not None
    assert (stability.changed, stability.largest) == (0.0, 0.0)
    assert not stability.stable
    assert "an input that failed did not fail again" in str(stability.reason)
    assert campaign.rows()[0]["doubted"] > 0


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
