from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.campaign.plan import HuntPlan, Plan, Source
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.naming.catalogue import build
from unnerve.core.reference import Reference
from unnerve.generate.noises.random import Random
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt._context import Given, compared
from unnerve.studies.hunt.arena import arena
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

SENSOR, LETTER = "deepsensor:particles=5,iterations=3", "deepsensor:particles=5,iterations=3,scale=eq1"


MODEL, WATCHED = Source("tiny", "m"), Source("tiny", "m", {"neurons": "deepxplore"})


def plan(*methods: str) -> HuntPlan:
    return Plan(
        model=MODEL,
        data=Source("small", "d"),
        methods=tuple(build("hunter", one) for one in methods),
        region=build("region", "linf:0.3"),
        oracle=build("oracle", "misclassified"),
        seeds=3,
    )


def test_the_data_itself_is_compared_with_by_default(tiny_model: TorchModule, small_data: Examples) -> None:
    noted, subject = compared(plan("pgd", SENSOR), tiny_model, small_data)
    assert subject.model is tiny_model
    assert subject.context.peers == ()
    reference = subject.context.reference
    assert reference is not None
    assert torch.equal(reference.spread, Reference.observed(tiny_model, small_data).spread)
    assert noted.reference == Source("small", small_data.fingerprint, {"inputs": 40})
    assert noted.model == WATCHED


def test_no_more_than_a_thousand_inputs(tiny_model: TorchModule) -> None:
    many = tensors(torch.arange(1100.0).sin().abs().view(-1, 1, 1, 1).repeat(1, 1, 8, 8))
    noted, subject = compared(plan(SENSOR), tiny_model, many)
    reference = subject.context.reference
    assert reference is not None
    assert reference.inputs == 1000
    assert noted.reference is not None
    assert noted.reference.details["inputs"] == 1000


def test_other_data_can_be_given(tiny_model: TorchModule, small_data: Examples, small_images: Tensor) -> None:
    dark = tensors(small_images[:10] / 4, name="dark")
    noted, subject = compared(plan(SENSOR), tiny_model, small_data, Given(dark))
    reference = subject.context.reference
    assert reference is not None
    assert torch.equal(reference.spread, Reference.observed(tiny_model, dark).spread)
    assert noted.reference == Source("dark", dark.fingerprint, {"inputs": 10})


def test_nothing_is_looked_at_that_nobody_asks_for(tiny_model: TorchModule, small_data: Examples) -> None:
    noted, subject = compared(plan("pgd"), tiny_model, small_data)
    assert noted == plan("pgd")
    assert subject.context.reference is None
    noted, subject = compared(plan(LETTER), tiny_model, small_data)
    assert subject.context.reference is None
    assert noted == replace(plan(LETTER), model=WATCHED)
    with pytest.raises(InvalidSetting, match="reference data is given, but none of the methods compares with any"):
        compared(plan("pgd", LETTER), tiny_model, small_data, Given(small_data))


def test_data_of_another_shape_is_refused(tiny_model: TorchModule, small_data: Examples) -> None:
    with pytest.raises(InvalidSetting, match=r"must have inputs of shape \(1, 8, 8\), got \(3, 8, 8\)$"):
        compared(plan(SENSOR), tiny_model, small_data, Given(torch.rand(4, 3, 8, 8)))


@dataclass(frozen=True)
class Disagreement(Random):
    """A hunter that looks at peers."""

    peered = True


def test_peers_are_noted_and_carried(tiny_model: TorchModule, tiny_net: torch.nn.Module, small_data: Examples) -> None:
    other = TorchModule(tiny_net, "other")
    asking = replace(plan("pgd"), methods=(Disagreement(),))
    noted, subject = compared(asking, tiny_model, small_data, Given(peers=[other]))
    assert subject.context.peers == (other,)
    told = [{"name": "other", "hash": other.identity(small_data.shape)}]
    assert noted == replace(asking, model=Source("tiny", "m", {"peers": told}))
    stranger = BlackBox(lambda x: x.reshape(len(x), 3), "stranger", "logits")
    with pytest.raises(InvalidModel, match=r"^stranger raised ValueError"):
        compared(asking, tiny_model, small_data, Given(peers=[stranger]))
    with pytest.raises(InvalidSetting, match=r"^`peers` are given, but neither a method nor the oracle looks"):
        compared(plan("pgd"), tiny_model, small_data, Given(peers=[other]))


def test_a_model_without_neurons_is_refused(small_data: Examples) -> None:
    box = BlackBox(lambda x: x.reshape(len(x), -1)[:, :4], "box", "logits")
    with pytest.raises(InvalidModel, match=r"^deepsensor needs neurons, which box does not offer"):
        compared(plan(SENSOR), box, small_data)


@pytest.mark.parametrize("shard", [1, 4, 50])
def test_findings_depend_neither_on_shards_nor_on_company(
    shard: int, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    together = hunt(tiny_model, answered, SENSOR, str(tmp_path / "a"), region="linf:0.3", inputs=9, shard=4)
    other = hunt(tiny_model, answered, SENSOR, str(tmp_path / "b"), region="linf:0.3", inputs=6, shard=shard)
    fewer = set(other.store.labels())
    found = [row for row in together.findings.to_pylist() if row["seed_id"] in fewer]
    assert found == other.findings.to_pylist()
    assert len(found) > 0
    assert other.plan.reference == together.plan.reference


def test_a_campaign_is_not_resumed_with_other_neurons_or_another_reference(
    tiny_model: TorchModule, tiny_net: torch.nn.Module, answered: Examples, tmp_path: Path
) -> None:
    def compare(model: TorchModule, **more: Any) -> Campaign:
        methods, out = ["pgd:steps=2", SENSOR], str(tmp_path / "a")
        return arena(model, answered, methods, out, queries=30, region="linf:0.3", inputs=4, **more)

    begun = compare(tiny_model)
    assert compare(tiny_model, resume=True).rows() == begun.rows()
    with pytest.raises(InvalidSetting, match=r"model\.neurons: \"deepxplore\", now \"conv_dense\""):
        compare(TorchModule(tiny_net, "tiny", neurons="conv_dense"), resume=True)
    with pytest.raises(InvalidSetting, match=r"reference\.name: \"answered\", now \"answered2\""):
        compare(tiny_model, reference=replace(answered, name="answered2"), resume=True)
