"""Every region keeps its promises."""

import pytest

from unnerve.core.fitting import Relative
from unnerve.core.methods import Normed
from unnerve.core.naming.catalogue import build
from unnerve.testing.regions import SHAPES, check_region
from unnerve.testing.texts import texts


@pytest.mark.parametrize("shape", SHAPES, ids=["grey", "colour", "sound"])
@pytest.mark.parametrize("text", texts("region"))
def test_keeps_its_promises(text: str, shape: tuple[int, ...]) -> None:
    check_region(text, shape)


def test_balls_reach_as_far_as_their_radius() -> None:
    balls = [region for text in texts("region") if isinstance(region := build("region", text), Normed)]
    balls = [ball for ball in balls if not isinstance(ball, Relative)]  # those are shares of their seeds
    assert [ball.reach for ball in balls] == [0.1] * len(balls)
