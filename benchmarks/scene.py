"""What several benchmarks run: LeNet-5, and a shard of a campaign on digits that it knows."""

from unnerve.campaign.plan import HuntPlan, Plan, Source, shards
from unnerve.campaign.run import ShardJob
from unnerve.core.naming.catalogue import build
from unnerve.core.reference import Reference
from unnerve.core.subject import Context, Subject
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["job", "network", "subject"]


def network(name: str = "zoo:lenet5") -> TorchModule:
    """Return a network of the zoo."""
    made = model(name)
    assert isinstance(made, TorchModule)
    return made


def job(lenet: TorchModule, method: str, count: int) -> ShardJob:
    """Return one shard of ``count`` digits that a method hunts in linf 0.1."""
    digits = examples("mnist5k")
    seeds = hunted_seeds(lenet, digits, count).seeds
    plan: HuntPlan = Plan(
        model=Source("zoo:lenet5", ""),
        data=Source("mnist5k", ""),
        methods=(build("hunter", method),),
        region=build("region", "linf:0.1"),
        oracle=build("oracle", "misclassified"),
        seeds=count,
        shard=count,
    )
    return ShardJob(plan, shards(plan)[0], seeds.batch(range(count)))


def subject(lenet: TorchModule, reference: bool = False) -> Subject[TorchModule]:
    """Return a network as a subject; with what its neurons usually do, for methods that compare with that."""
    usual = Reference.observed(lenet, examples("mnist5k").first(1000)) if reference else None
    return Subject(lenet, Context(reference=usual))
