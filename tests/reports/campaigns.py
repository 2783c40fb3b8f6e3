"""Campaigns made by hand, through the store: no network is asked."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Plan, Shard, Source, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call
from unnerve.core.findings import Finding, finding_id
from unnerve.core.naming.catalogue import build
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.coverage_gains import CoverageGains, Gain
from unnerve.studies.campaign.stability import Stability
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["Hunted", "measured"]

_STEADY = Stability(inputs=12, passes=4, changed=0.0, largest=0.0)


@dataclass(frozen=True)
class Hunted:
    """What a campaign made by hand is like.

    From seed ``i``, of class ``i % C``, the method at place ``m`` finds ``each`` errors unless ``i`` is divisible by
    ``m + spared``. The errors have the next class and the one after it in turn, grow in size up to the radius (linf),
    and are found after 3, 6, 9 ... queries, of 20 that each seed has. Seeds in ``failed`` could not be hunted.
    """

    seeds: int = 12
    shape: tuple[int, ...] = (1, 8, 8)
    classes: tuple[str, ...] = ("zero", "one", "two", "three")
    methods: tuple[str, ...] = ("pgd", "random")
    spared: int = 5
    each: int = 4
    labels: bool = True
    names: tuple[str, ...] | None = None
    model: str = "zoo:tiny"
    data: str = "made-up"
    region: str = "linf:0.1"
    oracle: str = "misclassified"
    queries: int | None = 20
    quantised: bool = False
    keep_going: bool = True
    again: bool = False
    least: int | None = None
    offers: list[str] | None = None
    reference: str | None = None
    failed: tuple[int, ...] = ()
    reason: str = "RuntimeError: no"
    missing: int = 0
    shard: int = 5
    seed: int = 3
    call: Call | None = field(default_factory=lambda: Call("hunt", {"region": "linf:0.1", "inputs": "12", "out": "a"}))
    options: Mapping[str, str] = field(default_factory=dict)
    in_python: bool = False
    stability: Stability | None = _STEADY
    doubted: int = 0

    def but(self, **changes: object) -> "Hunted":
        return replace(self, **changes)  # type: ignore[arg-type]

    def campaign(self, folder: Path) -> Campaign:
        """Write the campaign and open it; the last ``missing`` shards are not there."""
        store, seeds, plan = Store(str(folder)), self._examples(), self._plan()
        store.begin(
            recorded(plan, self.shape, [self.least] * len(self.methods)),
            {"unnerve": "0.1.0", "torch": "2.4.0"},
            seeds,
            resume=False,
        )
        planned = shards(plan)
        for shard in planned[: len(planned) - self.missing]:
            store.write(shard, plan.labels[shard.method], self._outcome(shard, seeds), seconds=0.5)
        if self.stability is not None:
            store.note("stability", self.stability.to_json())
        return Campaign.at(folder)

    def breaks(self, method: int, seed: int) -> bool:
        """Say whether a method breaks a seed."""
        return self.each > 0 and seed % (method + self.spared) != 0 and seed not in self.failed

    def _plan(self) -> HuntPlan:
        return Plan(
            model=Source(self.model, f"model {self.model}", self._offers(), self._opening(self.model, self.options)),
            data=Source(self.data, f"data {self.data}", self._looked_at(), self._opening(self.data)),
            methods=tuple(build("hunter", method) for method in self.methods),
            region=build("region", self.region),
            oracle=build("oracle", self.oracle),
            seeds=self.seeds,
            queries=self.queries,
            quantised=self.quantised,
            keep_going=self.keep_going,
            again=self.again,
            reference=None if self.reference is None else Source(self.reference, "r", {"inputs": 1000}),
            seed=self.seed,
            shard=self.shard,
            call=self.call,
        )

    def _offers(self) -> dict[str, Any]:
        return {} if self.offers is None else {"offers": self.offers}

    def _looked_at(self) -> dict[str, Any]:
        """Return the seeds, and three inputs that were classified wrongly."""
        right = np.arange(self.seeds) % self._count if self.labels else np.full(self.seeds, -1)
        pairs = Counter((int(one), max(0, int(one))) for one in right)
        pairs += Counter({(0 if self.labels else -1, self._count - 1): 3})
        known = Accuracy(dict(pairs), self._count, tuple(self.classes))
        return {"looked_at": self.seeds + 3, "accuracy": known.to_json()}

    def _opening(self, source: str, options: Mapping[str, str] | None = None) -> Opening:
        return Opening(None if self.in_python else source, dict(options or {}))

    def _examples(self) -> Examples:
        draw = np.random.default_rng(self.seed)
        values = torch.from_numpy(draw.random((self.seeds, *self.shape), dtype=np.float32))
        labels = torch.arange(self.seeds) % self._count if self.labels else None
        made = tensors(values, labels, classes=self.classes, name=self.data)
        return made if self.names is None else replace(made, names=self.names)

    @property
    def _count(self) -> int:
        return len(self.classes) or 4

    def _outcome(self, shard: Shard, seeds: Examples) -> Outcome:
        batch = seeds.batch(range(shard.start, shard.stop))
        outcome = Outcome((), ())
        for place, (name, values) in enumerate(zip(batch.ids, batch.inputs.numpy(), strict=True)):
            number = shard.start + place
            if number in self.failed:
                outcome += Outcome((), (SeedRecord(name, 0, 0, 0, self.reason),))
                continue
            found = self.each if self.breaks(shard.method, number) else 0
            findings = tuple((self._finding(name, number, values, step), 3 * (step + 1)) for step in range(found))
            outcome += Outcome(findings, (SeedRecord(name, 20, self.each + 2, found + 1, doubted=self.doubted),))
        return outcome

    def _finding(self, name: str, number: int, values: np.ndarray, step: int) -> Finding:
        radius = 0.1 * (step + 1) / self.each
        draw = np.random.default_rng(number * 1000 + step)
        change = np.where(draw.random(values.shape) < 0.5, radius, -radius).astype(np.float32)
        stored = np.clip(values + change, 0, 1).astype(np.float32)
        region, centre, made = build("region", self.region), torch.tensor(values)[None], torch.tensor(stored)[None]
        if not region.contains(made, centre).all():
            stored = region.project(made, centre)[0].numpy()
        change = stored - values
        truth = number % self._count
        return Finding(
            id=finding_id(name, stored.tobytes()),
            seed_id=name,
            label=truth if self.labels else None,
            before=truth,
            after=(truth + 1 + step % 2) % self._count,
            confidence_before=0.9,
            confidence_after=0.4 + 0.05 * step,
            l0=int((change != 0).any(axis=0).sum() if change.ndim > 1 else (change != 0).sum()),
            l2=float(np.linalg.norm(change)),
            linf=float(np.abs(change).max()),
            step=step,
            margin=0.25,
            input=stored.tobytes(),
            shape=stored.shape,
            dtype="float32",
        )


def measured(campaign: Campaign, since: int = 0) -> Campaign:
    """Keep coverage with a campaign, before its last errors: pgd adds 30 points of nc and none of nbc, random 5."""
    gains = CoverageGains(
        neurons=20,
        chosen_by="conv*",
        profile_inputs=1000,
        seeds=12,
        findings={label: one.counts().errors - since for label, one in campaign.tallies.items()},
        criteria={
            "nc": Gain({"name": "nc"}, 20, 10, {"pgd": 16, "random": 11}),
            "nbc": Gain({"name": "nbc"}, 40, 4, {"pgd": 4, "random": 4}),
            "tknp": Gain({"name": "tknp"}, None, 1200, {"pgd": 1300}),
        },
    )
    campaign.store.note("coverage", gains.to_json())
    return campaign
