"""What the methods of a campaign compare with: reference data, peers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unnerve.campaign.plan import HuntPlan, Source
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Peered, Referenced
from unnerve.core.model import Capability, Classifier, Instrumented, require
from unnerve.core.naming.catalogue import describe
from unnerve.core.profiles import Profiled
from unnerve.core.reference import Reference
from unnerve.core.subject import Context, Subject
from unnerve.studies.cover.cover import profile
from unnerve.subjects.data import further_data
from unnerve.subjects.joined import fitted
from unnerve.subjects.models import model as as_model

__all__ = ["Given", "compared"]

_INPUTS = 1000
"""Enough for a standard deviation that is right to about 2 %."""


@dataclass(frozen=True)
class Given:
    """What a user gave to compare with.

    Parameters
    ----------
    reference : anything that ``unnerve.examples`` takes, or None
        A name stands for its train split, where it has one.
    peers : str, sequence of anything that ``unnerve.model`` takes, or None
    """

    reference: Any = None
    peers: Any = None


def compared(
    plan: HuntPlan, model: Classifier, data: Examples, given: Given | None = None
) -> tuple[HuntPlan, Subject[Classifier]]:
    """Note in a plan what its methods compare with, and look at it.

    Parameters
    ----------
    plan : HuntPlan
    model : Classifier
    data : Examples
        What the seeds were chosen from; its first 1,000 inputs are compared with if no reference is given.
    given : Given

    Returns
    -------
    plan : HuntPlan
        The same if no method compares with anything.
    subject : Subject
        The model, with its context.
    """
    given = given or Given()
    plan, context = _referenced(plan, model, data, given.reference)
    peers = _peers(given.peers, data)
    asking = any(isinstance(one, Peered) and one.peered for one in (*plan.methods, plan.oracle))
    if peers and not asking:
        raise InvalidSetting("--peers are given, but neither a method nor the oracle looks for disagreement with any")
    if peers:
        told = [{"name": peer.name, "hash": peer.identity(data.shape)} for peer in peers]
        plan = replace(plan, model=replace(plan.model, details={**plan.model.details, "peers": told}))
    return plan, Subject(model, replace(context, peers=peers))


def _referenced(plan: HuntPlan, model: Classifier, data: Examples, given: Any) -> tuple[HuntPlan, Context]:
    """Note reference data in a plan, and see how much neurons vary on it, or how far they go, as methods ask for it."""
    watching = next((hunter for hunter in plan.methods if Capability.NEURONS in hunter.needs), None)
    comparing = any(isinstance(hunter, Referenced) and hunter.referenced for hunter in plan.methods)
    profiling = any(isinstance(hunter, Profiled) and hunter.profiled for hunter in plan.methods)
    if given is not None and not (comparing or profiling):
        raise InvalidSetting(
            "reference data is given, but none of the methods compares with any; deepsensor and deephunter do"
        )
    if watching is None:
        return plan, Context()
    require(model, watching.needs, str(describe(watching)["name"]))
    assert isinstance(model, Instrumented)
    neurons = model.neuron_map(data.batch(range(1)).inputs)
    # Which neurons count decides what a swarm maximises, so it is part of the plan, and resuming with others is
    # refused.
    plan = replace(plan, model=replace(plan.model, details={**plan.model.details, "neurons": neurons.chosen_by}))
    if not (comparing or profiling):
        return plan, Context()
    usual = (data if given is None else further_data(given, data, "train")).first(_INPUTS)
    if usual.shape != data.shape:
        raise InvalidSetting(f"{usual.name}: reference data must have inputs of shape {data.shape}, got {usual.shape}")
    # In the plan, with its hash: other reference data leads a swarm elsewhere, and resuming with such is refused.
    noted = Source(usual.name, usual.fingerprint, {"inputs": len(usual)}, opening_of(usual))
    reference = Reference.observed(model, usual) if comparing else None
    return replace(plan, reference=noted), Context(reference, profile(model, usual) if profiling else None)


def _peers(given: Any, data: Examples) -> tuple[Classifier, ...]:
    named: Sequence[Any] = [one.strip() for one in given.split(",")] if isinstance(given, str) else given or ()
    peers = tuple(fitted(as_model(one), data.value_range, data.features) for one in named)
    for peer in peers:
        peer.observe(data.batch(range(1)).inputs)  # one that cannot take such inputs shows now, not in the middle
    return peers
