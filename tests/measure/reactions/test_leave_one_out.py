from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.measure.reactions.shapley import CHANGED, SEED, Made, play
from unnerve.measure.reactions import leave_one_out
from unnerve.measure.reactions.leave_one_out import LeaveOneOut

Stage = Callable[..., Made]


def test_by_hand(product: nn.Module, stage: Stage) -> None:
    # Of 1 + h1 + 2 h1 h2 + h2 h3 the neurons take with them h1 + 2 h1 h2, 2 h1 h2 + h2 h3, h2 h3.
    expected = [[2 - 0.75, 1.125 - 0.4375, 0.125 - 0.1875], [0, 0, 0], [1.25 - 0.75, 1.3125 - 0.4375, 0.5625 - 0.1875]]
    found = play(LeaveOneOut(), stage(product, SEED, [0]), CHANGED)
    assert torch.allclose(found, torch.tensor([expected]), atol=1e-5)


def test_how_many_go_together_does_not_matter(monkeypatch: Any, stage: Stage) -> None:
    net = nn.Sequential(nn.Linear(4, 21), nn.ReLU(), nn.Linear(21, 3))
    x, changed = torch.rand(2, 4), torch.rand(2, 3, 4)
    found = play(LeaveOneOut(), stage(net, x, [0, 1]), changed)
    for rows in (1, 30):
        monkeypatch.setattr(leave_one_out, "_ROWS", rows)
        assert torch.allclose(play(LeaveOneOut(), stage(net, x, [0, 1]), changed), found, atol=1e-6)


def test_cost() -> None:
    assert LeaveOneOut().cost(226) == 227
