import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.natural.natural import Natural
from unnerve.generate.perturbations.brightness import Brightness
from unnerve.generate.regions.semantic import Semantic
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.hunters import check_hunter


@pytest.mark.parametrize("region", ["semantic:rotation,severity=3", "semantic"])
def test_keeps_its_promises(region: str) -> None:
    check_hunter("natural:iterations=5", region)


class Dark(torch.nn.Module):
    """Class 1 where the mean of an image lies below 0.4."""

    def forward(self, x: Tensor) -> Tensor:
        mean = x.flatten(1).mean(dim=1)
        return torch.stack([mean - 0.4, 0.4 - mean], dim=1)


def found(severity: float) -> list[float]:
    """Return the brightness of all that was proposed and failed, of a seed of brightness 0.5."""
    model, inputs = TorchModule(Dark(), "dark", outputs="logits"), torch.full((1, 1, 4, 4), 0.5)
    batch = Batch(inputs, torch.tensor([0]), ("a",))
    subject = Subject(Metered(model, Meter(1)))
    hunt = Natural(60).hunt(
        subject, Seeds(batch, model.observe(inputs)), Semantic(Brightness(), severity), Streams(0, ["a"])
    )
    means, candidates = [], next(hunt)
    while True:
        if bool((model.observe(candidates.inputs).predicted == 1).all()):
            means.append(float(candidates.inputs.mean()))
        try:
            candidates = hunt.send(torch.tensor([True]))
        except StopIteration:
            return means


def test_finds_darkness_once_the_severity_allows_it() -> None:
    # 0.1 darker is severity 2: what is milder cannot reach below 0.4, severity 4 reaches 0.3.
    assert found(1.9) == []
    severe = found(4.0)
    assert len(severe) >= 5
    assert min(severe) >= 0.3 - 1e-6


def test_needs_at_least_one_try() -> None:
    with pytest.raises(InvalidSetting, match=r"^iterations must be >= 1, got 0$"):
        Natural(0)
