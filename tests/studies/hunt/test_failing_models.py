"""Models that raise: on some inputs, on all of them, from some moment on; and what a resumed campaign makes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule

SMALL: dict[str, Any] = {"region": "linf:0.3", "inputs": 18, "shard": 4, "seed": 3}
METHOD = "pgd:steps=4"


class Moody(nn.Module):
    """A network that raises where it is told to."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net, self.passes = net, 0
        self.refuses: Callable[[Tensor], bool] = lambda x: False

    def forward(self, x: Tensor) -> Tensor:
        self.passes += 1
        if self.refuses(x):
            raise ValueError("not today")
        answer: Tensor = self.net(x)
        return answer


@pytest.fixture
def moody(tiny_model: TorchModule) -> Moody:
    return Moody(tiny_model.module).eval()


def hunted(module: Moody, data: Examples, folder: Path, **more: Any) -> Campaign:
    return hunt(TorchModule(module, "moody", "logits"), data, METHOD, str(folder), **SMALL, **more)


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("*.parquet"))}


def poisoned(seeds: Tensor) -> Callable[[Tensor], bool]:
    """Return a refusal of every batch with one of these inputs, or with anything near it."""

    def refuses(x: Tensor) -> bool:
        apart = (x.flatten(1).unsqueeze(1) - seeds.flatten(1).unsqueeze(0)).abs().amax(dim=-1)
        return bool((apart <= 0.3 + 1e-6).any())

    return refuses


def test_seeds_that_failed_are_tried_again(moody: Moody, answered: Examples, tmp_path: Path) -> None:
    whole = hunted(moody, answered, tmp_path / "whole")
    chosen = whole.tallies["pgd"].seeds
    bad = [chosen[place].id for place in (1, 2, 9)]
    inputs = torch.stack([torch.from_numpy(one.copy()) for one in whole.store.seeds(bad).values()])
    moody.refuses = poisoned(inputs)
    torn = hunted(moody, answered, tmp_path / "torn")
    failed = {seed.id: seed.failed for seed in torn.tallies["pgd"].seeds if seed.failed is not None}
    assert list(failed) == bad
    assert all("not today" in reason for reason in failed.values())
    before = shards(tmp_path / "torn")
    again = hunted(moody, answered, tmp_path / "torn", resume=True)
    assert shards(tmp_path / "torn") == before, "nothing has changed, so nothing is found"
    moody.refuses, moody.passes = lambda x: False, 0
    again = hunted(moody, answered, tmp_path / "torn", resume=True)
    assert not [seed for seed in again.tallies["pgd"].seeds if seed.failed is not None]
    assert shards(tmp_path / "torn") == shards(tmp_path / "whole")
    spent, moody.passes = moody.passes, 0
    hunted(moody, answered, tmp_path / "other")
    assert spent < moody.passes, "the others were not hunted again"


def test_a_model_that_stops_answering_ends_the_campaign(moody: Moody, answered: Examples, tmp_path: Path) -> None:
    hunted(moody, answered, tmp_path / "whole")
    total, moody.passes = moody.passes, 0
    # In the first third: the last passes only measure how small a change may be.
    moody.refuses = lambda x: moody.passes > total // 3
    with pytest.raises(
        InvalidModel, match=r"^moody has stopped answering: moody raised ValueError .*not today; `resume`"
    ):
        hunted(moody, answered, tmp_path / "torn")
    left = Campaign.at(tmp_path / "torn")
    assert not left.complete
    assert 2 <= len(shards(tmp_path / "torn")) < 5, "it was noticed at the first shard that failed"
    moody.refuses = lambda x: False
    assert hunted(moody, answered, tmp_path / "torn", resume=True).complete
    assert shards(tmp_path / "torn") == shards(tmp_path / "whole")


def test_a_lone_shard_in_which_all_seeds_fail_is_no_complete_campaign(
    moody: Moody, answered: Examples, tmp_path: Path
) -> None:
    """All shards that were planned are stored, and all the same nothing was hunted."""
    moody.refuses = lambda x: x.requires_grad
    with pytest.raises(InvalidModel, match=r"^no seed could be hunted"):
        hunt(TorchModule(moody, "moody", "logits"), answered, METHOD, str(tmp_path), **{**SMALL, "shard": 18})
    assert len(shards(tmp_path)) == 1
    assert not Campaign.at(tmp_path).complete


def test_a_campaign_in_which_all_seeds_fail_is_not_complete(moody: Moody, answered: Examples, tmp_path: Path) -> None:
    hunted(moody, answered, tmp_path / "whole")
    moody.refuses = lambda x: x.requires_grad
    with pytest.raises(
        InvalidModel, match=r"^no seed could be hunted; the first one: moody raised ValueError on inputs"
    ):
        hunted(moody, answered, tmp_path / "torn")
    assert len(shards(tmp_path / "torn")) == 1, "the others were not tried"
    assert not Campaign.at(tmp_path / "torn").complete
    with pytest.raises(InvalidModel, match=r"^no seed could be hunted"):
        hunted(moody, answered, tmp_path / "torn", resume=True)
    moody.refuses = lambda x: False
    assert hunted(moody, answered, tmp_path / "torn", resume=True).complete
    assert shards(tmp_path / "torn") == shards(tmp_path / "whole")
