"""What several benchmarks run: LeNet-5, and a shard of a campaign on digits that it knows."""

from unnerve.campaign.plan import Plan, shards
from unnerve.campaign.run import ShardJob
from unnerve.core.catalogue import build, describe
from unnerve.core.reference import Reference
from unnerve.studies.hunt import hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["job", "network"]


def network(name: str = "zoo:lenet5") -> TorchModule:
    """Return a network of the zoo."""
    made = model(name)
    assert isinstance(made, TorchModule)
    return made


def job(lenet: TorchModule, method: str, count: int, reference: bool = False) -> ShardJob:
    """Return one shard of ``count`` digits that a method hunts in linf 0.1, with what is usual if it asks for that."""
    digits = examples("mnist5k")
    seeds, _ = hunted_seeds(lenet, digits, count)
    plan = Plan(
        model={"name": "zoo:lenet5"},
        data={"name": "mnist5k"},
        methods=(describe(build("hunter", method)),),
        region=describe(build("region", "linf:0.1")),
        oracle=describe(build("oracle", "misclassified")),
        seeds=count,
        shard=count,
    )
    usual = Reference.observed(lenet, digits.first(1000)) if reference else None
    return ShardJob(plan, shards(plan)[0], seeds.batch(range(count)), usual)
