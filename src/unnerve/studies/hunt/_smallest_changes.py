"""How small a change still breaks each seed: halving the way between the seed and its surest finding.

Methods that search on the edge of the region, such as PGD, find errors exactly at its radius; what they found says
nothing about smaller changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.campaign._ledger import eight_bit
from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.inputs import stored_inputs
from unnerve.campaign.plan import shards
from unnerve.core.errors import UserError
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.judge import judge
from unnerve.core.methods import InUnits, Lineal
from unnerve.core.model import Capability
from unnerve.studies.campaign.stored_notes import changes_from_json

__all__ = ["NORMS", "note_smallest_changes"]

NORMS = ("linf", "l2")
"""In these norms half of a change is half as large; in L0 it is not."""

_HALVINGS = 8
_AT_ONCE = 64
_NOTE = "smallest_changes"


def note_smallest_changes(campaign: CampaignRun) -> None:
    """Judge inputs between each broken seed and its surest finding, and note the smallest change that still fails.

    Every change that is noted was proven by the judge. It is an upper bound: nearer errors may lie elsewhere.
    Left out where halves of changes are not in the region's norm, or where a verdict takes draws.
    """
    plan = campaign.plan
    norm = plan.region.facts(campaign.seeds.shape).norm
    # Half of a category is none, and a lineage is measured from the transformed seed.
    if norm not in NORMS or isinstance(plan.region, InUnits | Lineal) or Capability.DROPOUT in plan.oracle.needs:
        return
    noted = campaign.store.noted(_NOTE, remade=True)
    known = {} if noted is None else changes_from_json(noted)
    surest = _surest(campaign, norm)
    if surest.keys() == known.keys():
        return
    found: dict[str, float] = {}
    for names, inputs in _blocks(campaign, surest):
        try:
            found |= _halved(campaign, names, inputs, [surest[name].distance for name in names], norm)
        except UserError:  # the model stopped answering; what was found is stored and proven all the same
            return
    campaign.store.note(_NOTE, {"norm": norm, "halvings": _HALVINGS, "seeds": found})


@dataclass(frozen=True)
class _Known:
    """What is known of a broken seed: its smallest distance so far, and the shard and row of its surest finding."""

    distance: float
    margin: float
    shard: str
    row: int

    def joined(self, other: "_Known") -> "_Known":
        surest = max(self, other, key=lambda one: one.margin)
        return replace(surest, distance=min(self.distance, other.distance))


def _surest(campaign: CampaignRun, norm: str) -> dict[str, _Known]:
    # Not the nearest finding: of those at the radius the first one found has hardly crossed the border, while the
    # straight line to the surest one crosses it early.
    known: dict[str, _Known] = {}
    for shard, table, _ in campaign.store.shards(["seed_id", norm, "margin"]):
        columns = (table[name].to_pylist() for name in ("seed_id", norm, "margin"))
        for row, (name, distance, margin) in enumerate(zip(*columns, strict=True)):
            one = _Known(float(distance), float(margin), shard.name, row)
            known[name] = known[name].joined(one) if name in known else one
    return known


def _blocks(campaign: CampaignRun, surest: dict[str, _Known]) -> Iterator[tuple[list[str], Tensor]]:
    """Yield seeds and the inputs of their surest findings, some at a time."""
    store = campaign.store
    for shard in store.finished(shards(campaign.plan)):
        mine = [(one.row, name) for name, one in surest.items() if one.shard == shard.name]
        for start in range(0, len(mine), _AT_ONCE):
            some = mine[start : start + _AT_ONCE]
            table, _ = store.read(shard, ["input", "shape", "dtype"], rows=[row for row, _ in some])
            yield [name for _, name in some], torch.from_numpy(stored_inputs(table))


def _halved(
    campaign: CampaignRun, names: list[str], inputs: Tensor, reached: list[float], norm: str
) -> dict[str, float]:
    places = {name: row for row, name in enumerate(campaign.seeds.ids())}
    seeds = Seeds.observed(campaign.subject.model, campaign.seeds.batch([places[name] for name in names]))
    origins, everyone = seeds.batch.inputs, torch.arange(len(names))
    held, broken = torch.zeros(len(names)), torch.ones(len(names))
    smallest = list(reached)
    for _ in range(_HALVINGS):
        share = (held + broken) / 2
        between = origins + share.view(-1, *[1] * (inputs.ndim - 1)) * (inputs - origins)
        if campaign.plan.quantised:
            between = eight_bit(between, origins, seeds.batch.value_range)
        candidates = Candidates(between, everyone, 0)
        proven = dict(judge(campaign.subject, seeds, candidates, campaign.plan.oracle, campaign.plan.region))
        for row, finding in proven.items():
            smallest[row] = min(smallest[row], float(getattr(finding, norm)))
        fails = torch.tensor([row in proven for row in range(len(names))])
        held, broken = torch.where(fails, held, share), torch.where(fails, share, broken)
    return dict(zip(names, smallest, strict=True))
