from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.measure.reactions.shapley import CHANGE_OF_LOSS, CHANGED, SEED, VALUES, Made, change_of_loss, play
from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.measure.reactions.exact import Exact
from unnerve.measure.reactions.owen import Owen
from unnerve.measure.reactions.path import Path

Stage = Callable[..., Made]
Scenes = Callable[..., tuple[*Made, Streams]]


@pytest.fixture
def made(scene: Scenes) -> Made:
    """Return three seeds of the small network, which has nine hidden neurons."""
    subject, seeds, _ = scene([3, 8, 20])
    return subject, seeds


@pytest.fixture
def changed(small_images: Tensor) -> Tensor:
    return small_images[[5, 6, 7, 9, 10, 11]].view(3, 2, 1, 8, 8)


@pytest.mark.parametrize("overlap", [0.1, 0.5, 2.0])
def test_is_unbiased_where_the_loss_is_linear_in_every_mask(overlap: float, product: nn.Module, stage: Stage) -> None:
    made = stage(product, SEED, [0])
    runs = torch.stack([play(Owen(32, overlap), made, CHANGED, seed) for seed in range(50)])
    mean, error = runs.mean(dim=0), runs.std(dim=0) / 50**0.5
    assert bool(((mean - VALUES).abs() <= 4 * error + 1e-6).all())
    assert 1e-4 < float(error.amax()) < 0.1
    assert torch.allclose(mean.sum(dim=2), CHANGE_OF_LOSS, atol=0.3)


@pytest.mark.parametrize("overlap", [0.2, 1.0])
def test_its_sum_is_on_average_the_change_of_the_loss(overlap: float, made: Made, changed: Tensor) -> None:
    sums = torch.stack([play(Owen(64, overlap), made, changed, seed).sum(dim=2) for seed in range(30)])
    mean, error = sums.mean(dim=0), sums.std(dim=0) / 30**0.5
    whole = change_of_loss(made, changed)
    assert bool(((mean - whole).abs() <= 4 * error).all())
    assert float((error / whole.abs()).amax()) < 0.1, "so that the test could fail"


def test_slopes_where_nobody_is_joining_do_not_count(product: nn.Module, stage: Stage) -> None:
    masks, joining = Owen(200, 0.25)._coalitions(Streams(0, ["a", "b"]), torch.arange(100), 50)
    assert masks.shape == joining.shape == (2, 200, 50)
    assert bool(((masks == 0) | (masks == 1) | joining).all())
    assert float(joining.float().mean()) == pytest.approx(0.25 / 1.25, abs=0.01)
    assert torch.allclose(masks[:, ::2], 1 - masks[:, 1::2])
    assert torch.equal(joining[:, ::2], joining[:, 1::2])
    assert float(masks[:, 0].mean()) < 0.02, "the first coalition is small, its complement large"
    assert float(masks[:, 198].mean()) > 0.98


def test_the_shorter_the_overlap_the_nearer_to_the_exact_values(three: nn.Sequential, stage: Stage) -> None:
    three.get_parameter("answer.weight").data.mul_(10)  # a loss with a sharp bend
    made, changed = stage(three, torch.tensor([[0.25, 0.5]]), [0], "relu"), torch.tensor([[[0.75, 0.5]]])
    exact = play(Exact(), made, changed)
    off = [float((play(Owen(3000, overlap), made, changed) - exact).norm()) for overlap in (0.1, 0.5, 5.0)]
    assert off[0] < off[1] < off[2]
    assert off[0] < 0.05 * float(exact.norm())


def test_a_very_long_overlap_is_a_path(made: Made, changed: Tensor) -> None:
    found, path = play(Owen(256, 1e4), made, changed), play(Path(64), made, changed)
    assert float((found - path).norm()) < 0.02 * float(path.norm())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"coalitions": 0}, "coalitions must be even and >= 2, got 0"),
        ({"coalitions": 7}, "coalitions must be even and >= 2, got 7"),
        ({"overlap": 0.0}, "overlap must be > 0, got 0.0"),
        ({"overlap": float("nan")}, "overlap must be > 0, got nan"),
    ],
)
def test_refuses_strange_settings(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        Owen(**wrong)
    assert str(error.value) == words


def test_cost() -> None:
    assert Owen(256).cost(9) == Owen(256).cost(90_000) == 512
