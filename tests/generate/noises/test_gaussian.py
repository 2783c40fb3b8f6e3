from collections.abc import Callable

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.noises.gaussian import Gaussian
from unnerve.generate.regions.linf import Linf

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
WIDE = Linf(9, low=-9, high=9)


def test_noise_has_its_deviation(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(10))
    noise = torch.stack(
        [one.inputs - made[1].batch.inputs for one in proposals(Gaussian(0.3, iterations=20), made, WIDE)]
    )
    assert noise.mean().item() == pytest.approx(0, abs=0.01)
    assert noise.std().item() == pytest.approx(0.3, rel=0.02)
    assert len(noise.flatten(0, 1).flatten(1).unique(dim=0)) == 200


def test_by_hand(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    centre = made[1].batch.inputs
    for step, one in enumerate(proposals(Gaussian(0.2, iterations=3), made, Linf(0.1))):
        noisy = centre + 0.2 * made[2].normal(step, 0, (1, 8, 8))
        expected = torch.minimum(torch.maximum(noisy, centre - 0.1), centre + 0.1).clamp(0, 1)
        assert torch.allclose(one.inputs, expected, rtol=0, atol=1e-7)


def test_each_try_costs_a_query_and_unwanted_seeds_cost_none(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    wanted = [[1, 1, 0], [1, 0, 0], [1, 1, 1]]
    proposed = proposals(Gaussian(iterations=3), made, WIDE, lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2], [0, 1], [0]]
    assert made[0].model.meter.spent.tolist() == [1 + 3, 1 + 2, 1 + 1]


def test_settings() -> None:
    assert (Gaussian().needs, Gaussian().width, Gaussian().step_cost(10)) == (Capability.ANSWERS, 1, 1)
    with pytest.raises(InvalidSetting, match=r"^iterations must be >= 1, got 0$"):
        Gaussian(iterations=0)
    for wrong in (0, -0.1, float("nan")):
        with pytest.raises(InvalidSetting, match=f"^deviation must be > 0, got {wrong}$"):
            Gaussian(wrong)
