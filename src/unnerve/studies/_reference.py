"""What the methods of a campaign compare with: which neurons, and what these usually do."""

from dataclasses import replace
from typing import Any

from unnerve.campaign.plan import Plan
from unnerve.core.catalogue import build
from unnerve.core.errors import InvalidSetting
from unnerve.core.examples import Examples
from unnerve.core.methods import Hunter, Referenced
from unnerve.core.model import Capability, Classifier, Instrumented, require
from unnerve.core.reference import Reference
from unnerve.subjects.data import examples

__all__ = ["compared"]

_INPUTS = 1000
"""Enough for a standard deviation that is right to about 2 %."""


def compared(plan: Plan, model: Classifier, data: Examples, given: Any = None) -> tuple[Plan, Reference | None]:
    """Note in a plan which neurons its methods look at and which data they compare with, and look at that data.

    Parameters
    ----------
    plan : Plan
    model : Classifier
    data : Examples
        What the seeds were chosen from; its first 1,000 inputs are compared with if nothing is given.
    given : anything that ``unnerve.examples`` takes, optional
        Other data, of which the first 1,000 inputs are taken.

    Returns
    -------
    plan : Plan
        The same if no method looks at neurons.
    reference : Reference or None
        None if no method compares.
    """
    hunters: list[Hunter] = [build("hunter", method) for method in plan.methods]
    watching = next((hunter for hunter in hunters if Capability.NEURONS in hunter.needs), None)
    comparing = any(isinstance(hunter, Referenced) and hunter.referenced for hunter in hunters)
    if given is not None and not comparing:
        raise InvalidSetting("reference data is given, but none of the methods compares with any; deepsensor does")
    if watching is None:
        return plan, None
    require(model, watching.needs, str(plan.methods[hunters.index(watching)]["name"]))
    assert isinstance(model, Instrumented)
    neurons = model.neuron_map(data.batch(range(1)).inputs)
    plan = replace(plan, model={**plan.model, "neurons": neurons.chosen_by})
    if not comparing:
        return plan, None
    usual = (data if given is None else examples(given)).first(_INPUTS)
    if usual.shape != data.shape:
        raise InvalidSetting(f"{usual.name}: reference data must have inputs of shape {data.shape}, got {usual.shape}")
    noted = {"name": usual.name, "hash": usual.fingerprint, "inputs": len(usual)}
    return replace(plan, reference=noted), Reference.observed(model, usual)
