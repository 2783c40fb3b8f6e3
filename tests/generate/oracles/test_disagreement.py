import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.subject import Context, Subject
from unnerve.generate.oracles.disagreement import Disagreement
from unnerve.subjects.adapters.torch_module import TorchModule


class Fixed(nn.Module):
    """Answers every input with the same logits."""

    def __init__(self, *logits: float) -> None:
        super().__init__()
        self.logits = torch.tensor(logits)

    def forward(self, x: Tensor) -> Tensor:
        return self.logits.expand(len(x), -1)


def margin(own: tuple[float, ...], *peers: tuple[float, ...]) -> tuple[bool, float]:
    model, *others = (TorchModule(Fixed(*logits), "fixed", outputs="logits") for logits in (own, *peers))
    x = torch.zeros(1, 2)
    seeds = Seeds.observed(model, Batch(x, torch.zeros(1, dtype=torch.int64), ("0",)))
    subject = Subject(model, Context(peers=tuple(others)))
    verdict = Disagreement()(subject, seeds, Candidates(x, torch.zeros(1, dtype=torch.int64), 0))
    return bool(verdict.accepted), round(float(verdict.margin), 4)


def test_the_margin_is_the_distance_from_agreement() -> None:
    assert margin((3.0, 1.0, 0.0), (0.0, 1.5, 0.0)) == (True, 1.5)
    assert margin((3.0, 2.0, 0.0), (0.0, 1.5, 0.0)) == (True, 1.0)
    assert margin((3.0, 1.0, 0.0), (2.0, 1.5, 0.0)) == (False, -0.5)


def test_one_peer_that_differs_is_enough() -> None:
    assert margin((3.0, 1.0), (3.0, 1.0), (0.0, 0.5)) == (True, 0.5)


def test_needs_peers() -> None:
    with pytest.raises(InvalidSetting, match="give `peers`"):
        margin((3.0, 1.0))
