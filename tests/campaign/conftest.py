"""A small campaign: eight-bit images that the small network gets right, and a plan for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from unnerve.campaign.plan import HuntPlan, Plan, Source, shards
from unnerve.campaign.run import Outcome, ShardJob, run
from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


@pytest.fixture
def pictures(tiny_model: TorchModule) -> Examples:
    """Return 20 images of 8x8 grey pixels, stored in 8 bits; their labels are the network's answers."""
    raw = np.random.default_rng(4).integers(0, 256, (20, 1, 8, 8), dtype=np.uint8)
    answers = tiny_model.observe(torch.from_numpy(raw).float().div(255)).predicted
    return tensors(raw, answers, name="pictures")


@pytest.fixture
def planned() -> Callable[..., HuntPlan]:
    """Return planned(method, region="linf:0.1", **more) -> a plan for the 20 pictures."""

    def made(method: str, region: str = "linf:0.1", **more: Any) -> HuntPlan:
        return Plan(
            model=Source("tiny", "m"),
            data=Source("pictures", "d"),
            methods=tuple(build("hunter", one) for one in method.split(" ")),
            region=build("region", region),
            oracle=build("oracle", "misclassified"),
            **{"seeds": 20, **more},
        )

    return made


@pytest.fixture
def outcome() -> Callable[[HuntPlan, Classifier, Examples], Outcome]:
    """Return outcome(plan, model, seeds) -> what all shards of a plan found, in their order."""

    def found(plan: HuntPlan, model: Classifier, seeds: Examples) -> Outcome:
        parts = [
            run(ShardJob(plan, shard, seeds.batch(range(shard.start, shard.stop))), Subject(model))
            for shard in shards(plan)
        ]
        return sum(parts, Outcome((), ()))

    return found
