"""Which seeds a new model fixes, newly breaks, or still breaks, under the same search."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from unnerve.campaign.plan import StoredPlan
from unnerve.reports.campaign.compared_methods import conditions
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Comparison", "comparison"]

_ALIKE = ("region", "kind of error", "budget", "rounding")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two campaigns, alike in all but the model.

    Parameters
    ----------
    old, new : Campaign
    fixed, worse, still, held : tuple of str
        Seeds that the old model alone fails on, the new one alone, both, neither; in the plan's order.
    only_old, only_new : int
        Seeds that one of the two campaigns alone hunted.
    difference : Interval
        Share of the common seeds that break, new minus old, over seeds in pairs.
    """

    old: Campaign
    new: Campaign
    fixed: tuple[str, ...]
    worse: tuple[str, ...]
    still: tuple[str, ...]
    held: tuple[str, ...]
    only_old: int
    only_new: int
    difference: Interval

    @property
    def seeds(self) -> int:
        """How many seeds both campaigns hunted."""
        return len(self.fixed) + len(self.worse) + len(self.still) + len(self.held)

    def share(self, new: bool) -> Interval:
        """Return the share of the common seeds on which the new model, or the old one, fails."""
        return proportion(len(self.still) + len(self.worse if new else self.fixed), self.seeds)

    def to_json(self) -> dict[str, Any]:
        """Return the stable figures; ids of seeds by what became of them."""
        return {
            "old": self.old.store.path,
            "new": self.new.store.path,
            "seeds": self.seeds,
            "only_old": self.only_old,
            "only_new": self.only_new,
            "fixed": list(self.fixed),
            "newly_broken": list(self.worse),
            "still_broken": list(self.still),
            "held": len(self.held),
            "difference": self.difference.mean,
            "difference_ci95": list(self.difference.ci95),
        }


def comparison(old: Campaign, new: Campaign) -> Comparison | None:
    """Compare two campaigns seed by seed; None unless only their models differ, and they share seeds.

    Two models seldom classify the same inputs correctly, so that two hunts of one plan begin from nearly the same
    seeds, but not quite. Seeds count as the same if their inputs are, bit by bit; the others are left out and counted.
    """
    if not _one_plan(old.plan, new.plan) or not _asked_alike(old, new):
        return None
    before, after = _broken(old), _broken(new)
    same = _same_inputs(old, new)
    common = [name for name in before if name in after and name in same]
    if not common:
        return None
    was, now = (np.array([found[name] for name in common], dtype=float) for found in (before, after))
    groups = {
        kind: tuple(name for name in common if (before[name], after[name]) == kind)
        for kind in ((True, False), (False, True), (True, True), (False, False))
    }
    return Comparison(
        old=old,
        new=new,
        fixed=groups[True, False],
        worse=groups[False, True],
        still=groups[True, True],
        held=groups[False, False],
        only_old=len(before) - len(common),
        only_new=len(after) - len(common),
        difference=count_difference(BoundedCounts(now, 1), BoundedCounts(was, 1)),
    )


def _one_plan(old: StoredPlan, new: StoredPlan) -> bool:
    """Say whether two plans differ in the model, and in nothing else that decides how hard the search is."""
    first, second = conditions(old), conditions(new)
    # The seeds of a pool influence each other, so that all of them must be the same.
    alike = (*_ALIKE, "seeds") if any(one.scope == "pool" for one in old.methods) else _ALIKE
    return (
        first["model"] != second["model"]
        and all(first[name] == second[name] for name in alike)
        and _methods(old) == _methods(new)
        and old.seed == new.seed
    )


def _asked_alike(old: Campaign, new: Campaign) -> bool:
    """Say whether both runs were asked for as many inputs, in the same order, of data that was opened alike."""
    first, second = old.provenance, new.provenance
    if first is None or second is None:
        return True  # nobody knows; inputs that only one run hunted are counted
    chosen = [tuple(one.call.settings.get(name) for name in ("inputs", "order")) for one in (first, second)]
    return chosen[0] == chosen[1] and first.data == second.data


def _methods(plan: StoredPlan) -> str:
    return json.dumps([dict(one.described) for one in plan.methods], sort_keys=True)


def _broken(campaign: Campaign) -> dict[str, bool]:
    """Return whether any method broke each seed that could be hunted."""
    broken: dict[str, bool] = {}
    for one in campaign.tallies.values():
        for seed in one.seeds:
            if seed.failed is None:
                broken[seed.id] = broken.get(seed.id, False) or bool(seed.errors)
    return broken


def _same_inputs(old: Campaign, new: Campaign) -> set[str]:
    """Return the ids under which both campaigns hold the same input: rows of two data sets may share their numbers."""
    first, second = (_digests(one) for one in (old, new))
    return {name for name, digest in first.items() if second.get(name) == digest}


def _digests(campaign: Campaign) -> dict[str, bytes]:
    return {
        # Hashes instead of inputs: both campaigns' seeds would have to be in memory at once.
        name: hashlib.sha256(array.tobytes()).digest()
        for names, inputs in campaign.store.seed_blocks()
        for name, array in zip(names, inputs, strict=True)
    }
