"""The model of a campaign as it was hunted: with the dropout of its draws, which is part of what it is."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from unnerve.campaign.plan import StoredPlan
from unnerve.core.data.openings import noted, opening_of
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["as_hunted", "dropout_details"]


def dropout_details(model: Classifier) -> dict[str, Any]:
    """Return the dropout that a model was given, for the details of a campaign's model; nothing if it was given none.

    It is the rate itself: a rate that was found for a VRO could not be found again without the data.
    """
    if not isinstance(model, TorchModule) or model.dropout == Dropout():
        return {}
    return {"dropout": asdict(model.dropout)}


def as_hunted(model: Classifier, plan: StoredPlan) -> Classifier:
    """Return a model with the dropout that a campaign gave to its own; one with dropout of its own choice stays."""
    known = plan.model.details.get("dropout")
    if known is None or not isinstance(model, TorchModule) or model.dropout != Dropout():
        return model
    return noted(model.dropping(_dropout(known)), opening_of(model))


def _dropout(known: Mapping[str, Any]) -> Dropout:
    try:
        places = known["places"]
        return Dropout(float(known["rate"]), None if places is None else tuple(map(str, places)))
    except (KeyError, TypeError, ValueError, OverflowError, InvalidSetting):
        raise InvalidData(f"campaign.json is damaged: dropout cannot be {known}") from None
