import pytest
import torch

from unnerve.core.streams import Streams
from unnerve.measure.robustness._balls import BALLS

ORDERS = {"l1": 1.0, "l2": 2.0, "linf": float("inf")}


@pytest.mark.parametrize("norm", BALLS)
def test_points_lie_uniformly_in_the_ball(norm: str) -> None:
    points = BALLS[norm].points(Streams(0, ["a", "b"]), 0, 4000, 3)
    assert points.shape == (2, 4000, 3)
    lengths = torch.linalg.vector_norm(points.double(), ord=ORDERS[norm], dim=2)
    assert float(lengths.amax()) <= 1 + 1e-6
    # The share of a ball of half the radius is an eighth of the volume, whatever the norm.
    assert float((lengths < 0.5).double().mean()) == pytest.approx(1 / 8, abs=0.02)
    assert float(points.mean().abs()) < 0.02


@pytest.mark.parametrize(("norm", "dual"), [("l1", 4.0), ("l2", 5.0), ("linf", 7.0)])
def test_dual_norms(norm: str, dual: float) -> None:
    assert float(BALLS[norm].dual(torch.tensor([3.0, -4.0]))) == pytest.approx(dual)
