"""Hunters search on a quick copy of a model where it has one; what is found is proven on the model itself."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from unnerve.campaign._searched import quickened
from unnerve.campaign.outcome import Outcome
from unnerve.campaign.plan import HuntPlan
from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.wrappers.searched import Searched
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

Planned = Callable[..., HuntPlan]
Found = Callable[[HuntPlan, Classifier, Examples], Outcome]


@pytest.fixture
def normed() -> TorchModule:
    """Return a small network with a batch norm that is not the identity, right on some of the pictures."""
    torch.manual_seed(3)
    norm = nn.BatchNorm2d(4)
    assert norm.running_mean is not None
    with torch.no_grad():
        norm.running_mean.copy_(torch.tensor([0.1, -0.2, 0.3, 0.0]))
        norm.weight.copy_(torch.tensor([3.0, 2.0, -2.0, 4.0]))
    layers = (nn.Conv2d(1, 4, 3), norm, nn.ReLU(), nn.Flatten(), nn.Linear(144, 4))
    return TorchModule(nn.Sequential(*layers), "normed", outputs="logits")


def labelled(pictures: Examples, network: TorchModule) -> Examples:
    """Return the pictures with the network's answers as labels."""
    batch = pictures.batch(range(len(pictures)))
    return tensors((batch.inputs * 255).to(torch.uint8), network.observe(batch.inputs).predicted, name="pictures")


def test_only_who_asks_for_logits_and_gradients_searches_on_the_copy(normed: TorchModule) -> None:
    shape = (1, 8, 8)
    for method in ("pgd", "gaussian", "guided:search=pso,objective=margin"):
        assert isinstance(quickened(normed, build("hunter", method), shape), Searched), method
    for method in ("deepsensor", "dlfuzz", "deephunter", "kuk"):
        assert quickened(normed, build("hunter", method), shape) is normed, method


def test_what_is_found_is_the_models_own_error(
    normed: TorchModule, pictures: Examples, planned: Planned, outcome: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = labelled(pictures, normed)

    def refused(*_: object) -> None:
        raise AssertionError("of the model itself nothing but answers is asked")

    monkeypatch.setattr(normed, "gradient", refused)
    found = outcome(planned("pgd:steps=20"), normed, seeds)
    assert len(found.findings) > 0
    for finding, _ in found.findings:
        seen = normed.observe(finding.tensor().unsqueeze(0))
        assert int(seen.predicted[0]) == finding.after != finding.label
        assert finding.margin == pytest.approx(float(-seen.lead(torch.tensor([finding.label]))[0]), abs=1e-5)


def test_shards_do_not_matter(normed: TorchModule, pictures: Examples, planned: Planned, outcome: Found) -> None:
    seeds = labelled(pictures, normed)
    whole = outcome(planned("pgd:steps=5"), normed, seeds)
    parts = outcome(planned("pgd:steps=5", shard=3), normed, seeds)
    assert len(whole.findings) > 0
    assert [one.id for one, _ in parts.findings] == [one.id for one, _ in whole.findings]
