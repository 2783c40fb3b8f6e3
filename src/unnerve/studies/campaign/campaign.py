"""A campaign as it lies in its folder: read without the model, and without running anything of it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_inputs
from unnerve.campaign.plan import StoredPlan, shards
from unnerve.campaign.records import plan_from_json
from unnerve.campaign.store import SCHEMA, Store
from unnerve.campaign.tally import Tally, shortage, tally
from unnerve.core.data.clips import Clips
from unnerve.core.data.features import Features
from unnerve.core.data.provenance import Provenance
from unnerve.core.errors import InvalidData
from unnerve.core.model import Capability, capability_names
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.campaign.coverage_gains import CoverageGains
from unnerve.studies.campaign.nearest_misses import nearest_misses
from unnerve.studies.campaign.seed_figures import seed_figures
from unnerve.studies.campaign.stability import Stability
from unnerve.studies.campaign.stored_notes import changes_from_json, limits_from_json
from unnerve.studies.gates.gate import Gate, gate
from unnerve.studies.intervals.count_mean import count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["COUNTS", "SHARES", "Campaign"]

SHARES = ("broken", "accuracy")
"""Figures of a method that limits can be stated for, in per cent too."""
COUNTS = (
    "seeds_broken",
    "error_categories",
    "errors",
    "errors_as_in_paper",
    "queries",
    "inputs",
    "failed",
    "doubted",
    "seconds",
)
"""And those that are no shares."""

_COUNTED = ["seed_id", "after", "queries"]


@dataclass(frozen=True, eq=False, repr=False)
class Campaign(Result):
    """What a hunt or an arena found, as far as it is finished.

    Parameters
    ----------
    store : Store

    Examples
    --------
    >>> from unnerve.studies.campaign.campaign import Campaign
    >>> campaign = Campaign.at("runs/hunt")
    >>> inputs, labels = campaign.tensors()
    """

    store: Store

    @classmethod
    def at(cls, path: str | Path) -> "Campaign":
        """Open a campaign; raises if there is none."""
        campaign = cls(Store(str(path)))
        campaign.header  # noqa: B018 - read now, so that a wrong path is told at once
        return campaign

    @cached_property
    def header(self) -> dict[str, Any]:
        """What ``campaign.json`` holds."""
        return self.store.header()

    @cached_property
    def plan(self) -> StoredPlan:
        """What was to be done."""
        return plan_from_json(self.header["plan"])

    @property
    def provenance(self) -> Provenance | None:
        """How the campaign came about; None if that is not known, as in a campaign of a paper's experiment."""
        plan = self.plan
        return None if plan.call is None else Provenance(plan.call, plan.model.opening, plan.data.opening)

    @cached_property
    def offers(self) -> Capability:
        """What its model offers beyond answers; everything if that was not noted."""
        noted = self.plan.model.details.get("offers", capability_names(~Capability.ANSWERS))
        return reduce(or_, (one for one in Capability if str(one.name).lower() in noted), Capability.ANSWERS)

    @cached_property
    def features(self) -> Features | None:
        """What is known of the columns, if the inputs are rows of a table."""
        noted = self.plan.data.details.get("features")
        return None if noted is None else Features.from_json(noted)

    @cached_property
    def clips(self) -> Clips | None:
        """What is known of them, if the inputs are sounds."""
        noted = self.plan.data.details.get("clips")
        return None if noted is None else Clips.from_json(noted)

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """How often the model is right on what was looked at for seeds; None if that was not noted."""
        noted = self.plan.data.details.get("accuracy")
        try:
            return None if noted is None else Accuracy.from_json(noted, self.header["classes"])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InvalidData(f"{self.store.path}: campaign.json is damaged: accuracy cannot be read") from None

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """What each method found, seed by seed, by the method's label."""
        found: dict[str, list[Tally]] = {label: [] for label in self.plan.labels}
        for shard, table, records in self.store.shards(_COUNTED):
            label = self.plan.labels[shard.method]
            found[label].append(tally(label, table, records))
        seeds = {label: tuple(seed for one in some for seed in one.seeds) for label, some in found.items()}
        return {
            label: Tally(label, seeds[label], shortage(method, self.plan.queries, seeds[label]))
            for label, method in zip(self.plan.labels, self.plan.methods, strict=True)
        }

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each method's shards took, summed over workers."""
        took = dict.fromkeys(self.plan.labels, 0.0)
        for shard in self.store.finished(shards(self.plan)):
            took[self.plan.labels[shard.method]] += self.store.seconds(shard)
        return took

    @property
    def complete(self) -> bool:
        """Whether every shard is finished; a campaign in which no seed could be hunted has not even begun."""
        planned = shards(self.plan)
        hunted = any(seed.failed is None for one in self.tallies.values() for seed in one.seeds)
        return hunted and len(self.store.finished(planned)) == len(planned)

    @property
    def findings(self) -> pa.Table:
        """All findings as a table; ``to_pandas()`` makes a data frame of it."""
        tables = [table.replace_schema_metadata() for _, table, _ in self.store.shards()]
        # Shards without findings lack the columns of an oracle's evidence.
        return pa.concat_tables(tables, promote_options="default") if tables else SCHEMA.empty_table()

    def table(self) -> pa.Table:
        """Return all findings, one a row; the same as ``findings``."""
        return self.findings

    def tensors(self, label: str | None = None) -> tuple[Tensor, Tensor]:
        """Return the findings of all methods, or of one, to train on: inputs (K, ...) and labels (K,), int64.

        The label of a finding is its seed's; the seed's own answer where the data has none.
        """
        wanted = self.plan.labels if label is None else (label,)
        columns = ["input", "shape", "dtype", "label", "before"]
        tables = [table for one in wanted for table in self.found(one, columns) if table.num_rows]
        if not tables:
            raise InvalidData(f"{self.store.path}: no error was found, so there are no inputs")
        found = pa.concat_tables(tables)
        # Without labels, what the model said of the unchanged input is the best guess of what is right.
        # A copy: an array of Arrow may not be written to, and torch warns.
        labels = pc.coalesce(found["label"], found["before"]).to_numpy().astype(np.int64)
        return torch.from_numpy(stored_inputs(found)), torch.from_numpy(labels)

    def found(self, label: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yield the findings of one method, shard by shard: all columns or some."""
        method = self.plan.labels.index(label)
        mine = [one for one in shards(self.plan) if one.method == method]
        yield from (table for _, table, _ in self.store.read_each(mine, columns))

    @property
    def coverage(self) -> CoverageGains | None:
        """What the findings add to the coverage of the seeds, if that was measured (``--coverage``)."""
        noted = self.store.noted("coverage")
        return None if noted is None else CoverageGains.from_json(noted)

    @cached_property
    def stability(self) -> Stability | None:
        """How steadily the model answered; None of a campaign that did not get so far."""
        noted = self.store.noted("stability")
        return None if noted is None else Stability.from_json(noted)

    @cached_property
    def smallest_changes(self) -> dict[str, float]:
        """How small a change still broke each seed, in the region's norm; empty if that was not measured."""
        noted = self.store.noted("smallest_changes")
        return {} if noted is None else changes_from_json(noted)

    @property
    def gate(self) -> Gate | None:
        """Whether the limits hold that were stated (``--fail-if``); None if none were."""
        noted = self.store.noted("limits")
        if noted is None:
            return None
        stated = limits_from_json(noted)
        return gate(self.summary(), stated.fail_if, stated.undecided)

    def judge(self, fail_if: str | Sequence[str], undecided: str = "pass") -> Gate | None:
        """Keep limits with the campaign, for its report too, and say whether they hold; None without any."""
        limits = [fail_if] if isinstance(fail_if, str) else list(fail_if)
        judged = gate(self.summary(), limits, undecided)
        if judged is not None:
            self.store.note("limits", {"fail_if": limits, "undecided": undecided})
        return judged

    @property
    def value_range(self) -> tuple[float, float]:
        """The least and the largest valid value of seeds and findings."""
        return self.plan.region.value_range

    @property
    def region(self) -> str:
        """Where the findings lie, as it is written on the command line."""
        return self.plan.region.text

    @cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """95 % intervals by label: of the share of seeds broken, and of categories and errors per seed."""
        return {label: _intervals(one, len(self.header["classes"])) for label, one in self.tallies.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return the stable figures of every method, as JSON."""
        return [
            {
                "method": label,
                "region": self.region,
                **asdict(one.counts()),
                **_share_broken(self.intervals[label]),
                "ci95": {name: list(interval.ci95) for name, interval in self.intervals[label].items()},
                "nearest_misses": nearest_misses(one),
                "could_not_afford": None if one.shortage is None else asdict(one.shortage),
                "seconds": round(self.seconds[label], 3),
                "out": self.store.path,
                "complete": self.complete,
            }
            for label, one in self.tallies.items()
        ]

    def summary(self) -> dict[str, Any]:
        """Return the stable figures of all methods under ``rows``; those of a single method at the top level too."""
        rows = self.rows()
        known = {} if self.accuracy is None else self.accuracy.figures()
        stability = None if self.stability is None else self.stability.to_json()
        return {**(rows[0] if len(rows) == 1 else {}), **known, "rows": rows, "stability": stability}

    def headline(self) -> str:
        """Return what was found, in one line."""
        broken = ", ".join(f"{label} {_broken(one)}" for label, one in self.tallies.items())
        return f"{self.store.path}, seeds broken in {self.region}: {broken}{'' if self.complete else ' (unfinished)'}"


def _share_broken(intervals: dict[str, Interval]) -> dict[str, Any]:
    """Return the share of seeds broken and its interval; None where nothing was hunted."""
    share = intervals.get("seeds_broken")
    return {"broken": None if share is None else share.mean, "broken_ci95": None if share is None else list(share.ci95)}


def _broken(one: Tally) -> str:
    counts = one.counts()
    return f"{counts.seeds_broken} of {counts.inputs}" if one.shortage is None else str(one.shortage)


def _intervals(one: Tally, classes: int) -> dict[str, Interval]:
    hunted = [record for record in one.seeds if record.failed is None]
    if not hunted or one.shortage is not None:
        return {}
    found = seed_figures(hunted, classes)
    broken = proportion(int(found["seeds_broken"].counts.sum()), len(hunted))
    return {"seeds_broken": broken} | {name: count_mean(found[name]) for name in ("error_categories", "errors")}
