"""Hunts with peers: what counts as an error is that models differ."""

from pathlib import Path

import torch

from tests.generate.fuzzers.ramp import Ramp
from unnerve.core.data.examples import Examples
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

DEEPXPLORE = "deepxplore:light,steps=8,length=0.05,difference=3,coverage=0"


def ramp(border: float) -> TorchModule:
    return TorchModule(Ramp(border), f"ramp{border}", outputs="logits")


def grey(labelled: bool = True) -> Examples:
    labels = torch.zeros(3, dtype=torch.int64) if labelled else None
    return tensors(torch.full((3, 1, 4, 4), 0.7), labels)


def oracle(found: Campaign) -> str:
    return str(found.header["plan"]["oracle"]["name"])


def test_models_that_differ_between_two_borders_are_found_to(tmp_path: Path) -> None:
    # Between 0.5 and 0.6 the peer has changed its mind and the model has not; below 0.5 they agree again.
    found = hunt(ramp(0.5), grey(), DEEPXPLORE, tmp_path / "a", peers=[ramp(0.6)], region="linf:0.4")
    assert oracle(found) == "disagreement"
    means = [float(one.mean()) for one in found.tensors()[0]]
    assert len({row["seed_id"] for row in found.findings.to_pylist()}) == 3
    assert means
    assert all(0.5 <= mean <= 0.6 for mean in means)
    assert set(found.findings["after"].to_pylist()) == {0}, "the model itself says what it said of the seed"


def test_it_is_what_differs_that_counts_only_with_peers_and_by_default(tmp_path: Path) -> None:
    alone = hunt(ramp(0.5), grey(), DEEPXPLORE, tmp_path / "alone", region="linf:0.4")
    assert oracle(alone) == "misclassified"
    assert oracle(hunt(ramp(0.5), grey(False), DEEPXPLORE, tmp_path / "bare", region="linf:0.4")) == "changed"
    asked = {"peers": [ramp(0.6)], "region": "linf:0.4", "oracle": "misclassified"}
    found = hunt(ramp(0.5), grey(), DEEPXPLORE, tmp_path / "asked", **asked)
    assert oracle(found) == "misclassified"
    assert set(found.findings["after"].to_pylist()) == {1}
