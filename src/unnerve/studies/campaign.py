"""A campaign as it lies in its folder: read without the model, and without running anything of it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unnerve.campaign.plan import Plan, shards
from unnerve.campaign.store import SCHEMA, Store
from unnerve.campaign.tally import Tally, tally
from unnerve.studies.coverage_gains import CoverageGains
from unnerve.studies.intervals import Interval, bootstrap, wilson

__all__ = ["Campaign", "region_text"]

_COUNTED = ["seed_id", "after", "queries"]


@dataclass(frozen=True, eq=False)
class Campaign:
    """What a hunt or an arena found, as far as it is finished.

    Parameters
    ----------
    store : Store
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
    def plan(self) -> Plan:
        """What was to be done."""
        return Plan.from_json(self.header["plan"])

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """What each method found, seed by seed, by the method's label."""
        found: dict[str, list[Tally]] = {label: [] for label in self.plan.labels}
        for shard, table, records in self.store.shards(_COUNTED):
            label = self.plan.labels[shard.method]
            found[label].append(tally(label, table, records))
        return {label: Tally(label, tuple(seed for one in some for seed in one.seeds)) for label, some in found.items()}

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each method's shards took, summed over workers."""
        took = dict.fromkeys(self.plan.labels, 0.0)
        for shard in self.store.finished(shards(self.plan)):
            took[self.plan.labels[shard.method]] += self.store.seconds(shard)
        return took

    @property
    def complete(self) -> bool:
        """Whether every shard is finished."""
        planned = shards(self.plan)
        return len(self.store.finished(planned)) == len(planned)

    @property
    def findings(self) -> pa.Table:
        """All findings as a table; ``to_pandas()`` makes a data frame of it."""
        tables = [table.replace_schema_metadata() for _, table, _ in self.store.shards()]
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def found(self, label: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yield the findings of one method, shard by shard: all columns or some."""
        method = self.plan.labels.index(label)
        for shard in self.store.finished([one for one in shards(self.plan) if one.method == method]):
            yield self.store.read(shard, columns)[0]

    @property
    def coverage(self) -> CoverageGains | None:
        """What the findings add to the coverage of the seeds, if that was measured (``--coverage``)."""
        noted = self.store.noted("coverage")
        return None if noted is None else CoverageGains.from_json(noted)

    @property
    def region(self) -> str:
        """Where the findings lie, as it is written on the command line."""
        return region_text(self.plan.region)

    @cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """95 % intervals by label: the share of seeds broken (Wilson), categories and errors per seed (bootstrap)."""
        return {label: _intervals(one, self.plan.seed) for label, one in self.tallies.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return the stable figures of every method, as JSON."""
        return [
            {
                "method": label,
                "region": self.region,
                **asdict(one.counts()),
                "ci95": {name: list(interval.ci95) for name, interval in self.intervals[label].items()},
                "seconds": round(self.seconds[label], 3),
                "out": self.store.path,
                "complete": self.complete,
            }
            for label, one in self.tallies.items()
        ]

    def summary(self) -> dict[str, Any]:
        """Return the stable figures of a hunt, or of the first of several methods."""
        return self.rows()[0]

    def report(self, path: str | Path | None = None) -> Path:
        """Write the HTML report, into the campaign's folder by default, and return where it is."""
        from unnerve.report.campaign.html import write_campaign_report  # noqa: PLC0415 - the one import that points up

        return write_campaign_report(self, path)


def region_text(region: Mapping[str, Any]) -> str:
    """Write a region as users do: ``linf:0.1``."""
    size = next((value for key, value in region.items() if key != "name"), None)
    return f"{region.get('name')}:{size:g}" if isinstance(size, int | float) else str(region.get("name"))


def _intervals(one: Tally, seed: int) -> dict[str, Interval]:
    hunted = [record for record in one.seeds if record.failed is None]
    if not hunted:
        return {}
    per_seed = np.array([[len(record.kinds), len(record.errors)] for record in hunted], dtype=float)
    kinds, errors = (bootstrap(lambda rows: rows.mean(axis=1), per_seed[:, place], seed) for place in (0, 1))
    broken = wilson(sum(bool(record.errors) for record in hunted), len(hunted))
    return {"seeds_broken": broken, "error_categories": kinds, "errors": errors}
