"""The report of a hunt on speech in a browser: clips are drawn, and play to their end."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.reports.browsing import CHROMIUM, Visit
from unnerve.core.data.clips import Clips
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.datasets.tensors import tensors

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]

PLAYED = """
async player => {
  player.muted = true;
  await player.play();
  await new Promise(resolve => player.addEventListener("ended", resolve));
  return {seconds: player.duration, error: player.error};
}
"""


class Loudness(nn.Module):
    """Quiet or loud."""

    def forward(self, x: Tensor) -> Tensor:
        power = x.square().mean(dim=1)
        return torch.stack([0.02 - power, power - 0.02], dim=1) * 100


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Two clips of a quarter of a second, one padded to the length of the other."""
    tone = 0.19 * torch.sin(torch.arange(4000) / 8)
    waves = torch.stack([tone, torch.where(torch.arange(4000) < 3900, tone, 0)])
    data = replace(tensors(waves, name="tones"), value_range=(-1.0, 1.0), clips=Clips(16_000))
    found = hunt(Loudness(), data, "pgd:steps=4", str(tmp_path / "a"), region="snr:10", inputs=2)
    assert found.rows()[0]["seeds_broken"] == 2
    return write_campaign_report(found, tmp_path / "report.html")


def test_original_finding_and_change_are_drawn_and_played(visit: Visit, report: Path) -> None:
    opened = visit(report)
    page = opened.page
    pictures = page.locator(".tile").first.locator("img")
    assert pictures.count() == 3
    assert pictures.first.evaluate("picture => picture.complete && picture.naturalWidth > 1")
    how = page.locator(".tile .how").first.inner_text()
    assert re.match(r"[\d.]+ dB below the clip, L2 [\d.]+", how), how
    players = page.locator("audio")
    assert players.count() >= 6, "original, finding and change of two clips"
    for number in range(3):
        played = players.nth(number).evaluate(PLAYED)
        assert played["error"] is None
        assert 3900 / 16_000 - 0.01 <= played["seconds"] <= 0.26
    shown = players.count()
    page.locator(".tile").first.click()
    assert players.count() == shown + 3, "the details of a finding have players of their own"
    assert "dB below the clip, L2" in page.locator('[data-part="change"]').inner_text()
    opened.expect_quiet()
