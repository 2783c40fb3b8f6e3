"""Where seeds and findings of a campaign lie among each other, from the features that were stored with it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unnerve.campaign.features import finding_key, read_features, seed_key
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.react.feature_plane import FeaturePlane, PlaneGroup, places

__all__ = ["Placed", "stored_plane"]

_LEAST = 10


@dataclass(frozen=True)
class Placed:
    """An input that shall have a place: its id, the class it is of, and the one that the model answers."""

    id: str
    label: int
    answer: int


def stored_plane(
    campaign: Campaign, seeds: tuple[Placed, ...], methods: Mapping[str, tuple[Placed, ...]]
) -> FeaturePlane | None:
    """Place seeds and findings, by method, in one plane; no model is needed.

    Returns
    -------
    FeaturePlane or None
        None if no features were stored (``hunt --embed``), or those of fewer than ten of these inputs.
    """
    keys = {"": {seed_key(one.id): one for one in seeds}}
    keys |= {name: {finding_key(one.id): one for one in some} for name, some in methods.items()}
    stored = read_features(campaign.store, (key for group in keys.values() for key in group))
    if stored is None or len(stored.rows) < _LEAST:
        return None
    # Findings that came after the features were stored have none.
    known = {name: {key: one for key, one in group.items() if key in stored.rows} for name, group in keys.items()}
    features = np.stack([stored.rows[key] for group in known.values() for key in group]).astype(np.float64)
    if not float(np.ptp(features, axis=0).max()) > 0:
        return None
    ends = np.cumsum([len(group) for group in known.values()])[:-1]
    points = np.split(places(features), ends)
    groups = {
        name: _group(where, tuple(group.values())) for (name, group), where in zip(known.items(), points, strict=True)
    }
    return FeaturePlane(stored.layer, groups.pop(""), groups, {}, tuple(campaign.header["classes"]))


def _group(points: np.ndarray, some: tuple[Placed, ...]) -> PlaneGroup:
    columns = (tuple(getattr(one, name) for one in some) for name in ("label", "answer", "id"))
    return PlaneGroup(points, *columns)
