"""What can be checked of a shard without the model: distances, ranges and region, measured again from the bytes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from unnerve.campaign.plan import StoredPlan
from unnerve.core.data.clips import Clips
from unnerve.core.data.examples import Batch
from unnerve.core.data.features import Features
from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.findings import Candidates, Finding
from unnerve.core.judge import changed_by, lies_inside
from unnerve.core.methods import Oracle, Space
from unnerve.core.naming.catalogue import build, names
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.spread import Spread

__all__ = ["Claims", "batch_of", "claims_of"]

# Distances are stored as float32, and sums of squares are rounded otherwise on another processor.
_SLACK = 1e-4


@dataclass(frozen=True)
class Claims:
    """What the findings of a campaign must keep to.

    Parameters
    ----------
    region : Space or None
        None if it is somebody's own: nothing that a stored campaign names is run.
    oracle : Oracle or None
        The same of what counts as an error.
    features : Features or None
        The columns, if the inputs are rows of a table.
    """

    region: Space | None
    oracle: Oracle | None
    features: Features | None = None

    def broken(self, finding: Finding, seed: Tensor) -> str | None:
        """Say what a finding claims wrongly of itself, given its seed (1, ...); None if all is as it says."""
        inputs = finding.tensor().unsqueeze(0)
        if not bool(torch.isfinite(inputs).all()):
            return "its input has values that are no numbers"
        if inputs.shape != seed.shape:
            return f"its input has the shape {tuple(inputs.shape[1:])}, its seed {tuple(seed.shape[1:])}"
        if self.region is None:
            return None
        parameters = torch.tensor([finding.parameters]) if finding.parameters else None
        candidates = Candidates(inputs, torch.tensor([0]), 0, parameters)
        if not bool(lies_inside(inputs, seed, candidates, self.region)):
            return "it lies outside the region"
        # Measured from the bytes: a distance that was changed would put a finding where it is not.
        for name, now in zip(("l0", "l2", "linf"), changed_by(inputs, seed, self.region)[0], strict=True):
            said = getattr(finding, name)
            if not abs(said - now) <= _SLACK * max(1.0, abs(now)):
                return f"its {name} is {now:.6g}, and not {said:.6g}"
        return None


def claims_of(plan: StoredPlan) -> tuple[Claims, list[str]]:
    """Return what a plan claims of its findings, and what of it cannot be checked."""
    region, notes = _built("region", plan.region.described, plan.region.text)
    oracle, more = _built("oracle", plan.oracle.described, plan.oracle.text)
    noted = plan.data.details.get("features")
    features = None if noted is None else Features.from_json(noted)
    if isinstance(region, Spread) and features is not None:
        region = replace(region, features=features)
    clips = plan.data.details.get("clips")
    # As the hunt's own region: padding behind the end of a clip is left alone.
    if isinstance(region, Linf | L2) and clips is not None:
        region = replace(region, silence=Clips.from_json(clips).silence)
    return Claims(region, oracle, features), [*notes, *more]


def batch_of(
    ids: Sequence[str], inputs: Mapping[str, Any], labels: Mapping[str, int | None], plan: StoredPlan
) -> Batch:
    """Return stored seeds as a batch."""
    known = [labels[name] for name in ids]
    told = torch.tensor([one for one in known if one is not None], dtype=torch.int64)
    stacked = torch.stack([torch.from_numpy(inputs[name].copy()) for name in ids])
    return Batch(stacked, told if len(told) == len(known) else None, tuple(ids), plan.region.value_range)


def _built(kind: str, described: Mapping[str, Any], text: str) -> tuple[Any, list[str]]:
    # A campaign may come from anybody: what it names is looked up among our own, and nothing of it is imported.
    if not all(name in names(of) for of, name in _named(kind, described)):
        return None, [f"the {kind} {text} is somebody's own code, which is not run; it was not checked"]
    try:
        return build(kind, described), []
    except (InvalidSetting, UnknownName, TypeError, ValueError) as problem:
        return None, [f"the {kind} {text} cannot be made again ({problem}); it was not checked"]


def _named(kind: str, described: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield kind and name of all methods that a description names, those within others included."""
    yield kind, str(described.get("name"))
    for value in described.values():
        if isinstance(value, Mapping):
            yield from _named(str(value.get("kind")), {key: one for key, one in value.items() if key != "kind"})
