"""Scores and orders by name, and what they compare inputs with: what neurons did on training data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Coverage, Score, evidence
from unnerve.core.model import Capability, Classifier, Instrumented, Want, require
from unnerve.core.naming.catalogue import build, describe, names
from unnerve.core.naming.command_text import command_text
from unnerve.core.naming.specification import specification
from unnerve.core.profiles import Profile
from unnerve.core.scores import score_named
from unnerve.core.traces import Traces
from unnerve.studies.cover.cover import profile
from unnerve.subjects.data import further_data

__all__ = ["Comparison", "Order", "comparison", "method_name", "named_method", "wanted"]


@runtime_checkable
class Order(Protocol):
    """A way to order inputs by what they cover."""

    @property
    def criterion(self) -> Coverage:
        """What is covered."""
        ...

    def values(self, met: list[np.ndarray]) -> np.ndarray:
        """Return one number per input, the higher the earlier, from the obligations that each meets."""
        ...


@dataclass(frozen=True)
class Comparison:
    """What neurons did on training data: input by input, and how far they went; None where nobody asks."""

    traces: Traces | None = None
    profile: Profile | None = None


def named_method(method: str | Score) -> Any:
    """Return a score or an order from its name, or a function as it is."""
    if isinstance(method, str) and specification(method).name in names("order"):
        return build("order", method)
    return score_named(method)


def method_name(method: Any) -> str:
    """Return how results name a score or an order; orders differ by what is covered."""
    return command_text(method) if isinstance(method, Order) else str(describe(method)["name"])


def wanted(methods: Iterable[Any]) -> Want:
    """Return what a pass must show for these scores and orders."""
    want = Want.LOGITS
    for one in methods:
        if isinstance(one, Order):
            want |= one.criterion.wants
        elif "neurons" in evidence(one):
            want |= Want.NEURONS
    return want


def comparison(model: Classifier, data: Examples, methods: Mapping[str, Any], reference: Any) -> Comparison:
    """Look at training data as far as scores and orders ask for it.

    Parameters
    ----------
    model : Classifier
    data : Examples
        What is ranked.
    methods : dict of str to Score or Order
        By their names in messages.
    reference : anything that ``unnerve.examples`` takes, or None
        A name stands for its train split.
    """
    for name, one in methods.items():
        if wanted([one]) != Want.LOGITS:
            # In the score's own name, before any pass: else the model would complain of a pass that the user knows
            # nothing of.
            require(model, Capability.NEURONS, name)
    traced = [name for name, one in methods.items() if not isinstance(one, Order) and "traces" in evidence(one)]
    profiled = [name for name, one in methods.items() if isinstance(one, Order) and one.criterion.profiled]
    if reference is None:
        if traced or profiled:
            raise InvalidSetting(f"{(traced or profiled)[0]} needs training data: --reference DATA")
        return Comparison()
    if not (traced or profiled):
        raise InvalidSetting("reference data is given, but no score compares with any; lsa, dsa and others do")
    usual = further_data(reference, data, "train")
    if usual.shape != data.shape:
        raise InvalidSetting(f"{usual.name}: reference data must have inputs of shape {data.shape}, got {usual.shape}")
    assert isinstance(model, Instrumented)
    return Comparison(Traces.observed(model, usual) if traced else None, profile(model, usual) if profiled else None)
