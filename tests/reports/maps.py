"""Maps made by hand, on campaigns made by hand: no network is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tests.reports.campaigns import Hunted
from unnerve.core.data.provenance import Call, Provenance
from unnerve.core.patterns import Thresholds
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.map.result import METRICS, Group, UncertaintyMap

__all__ = ["Mapped"]


@dataclass(frozen=True)
class Mapped:
    """What a map made by hand is like.

    The ``k``-th benign input has PCS ``1 - 0.01 k`` and VRO ``(k % 3) / T``: HL. Of every attack the first finding of a
    seed is its smallest, with PCS ``0.02 k`` and VRO ``1 - (k % 3) / T``: LH; the last one is its strongest, with PCS
    ``0.905`` and VRO ``5 / T``. The other metrics are half of VRO. Everything goes on modulo twelve, so that the
    patterns stay the same in large maps.
    """

    hunted: Hunted = field(default_factory=Hunted)
    draws: int = 50
    thresholds: Thresholds = field(default_factory=Thresholds)
    early: tuple[int, ...] = (5, 10)
    dropout: str = "0.4 at pool1, before:fc"

    def but(self, **changes: object) -> "Mapped":
        mine = {name: value for name, value in changes.items() if name in self.__dataclass_fields__}
        others = {name: value for name, value in changes.items() if name not in mine}
        return replace(self, hunted=self.hunted.but(**others), **mine)  # type: ignore[arg-type]

    def found(self, folder: Path) -> UncertaintyMap:
        """Write the campaign and map it."""
        campaign = self.hunted.campaign(folder)
        labels = campaign.store.labels()
        alive = [seed.id for seed in next(iter(campaign.tallies.values())).seeds if seed.failed is None]
        turn = np.arange(len(alive)) % 12
        truth = np.array([-1 if labels[name] is None else labels[name] for name in alive], dtype=int)
        answer = np.array([list(labels).index(name) % (len(self.hunted.classes) or 4) for name in alive], dtype=int)
        groups = [self._group("benign", alive, alive, 1 - 0.01 * turn, (turn % 3) / self.draws, truth, answer)]
        for label in campaign.plan.labels:
            groups += self._attacks(campaign, label)
        plan, call = campaign.plan, Call("map", {"region": "linf:0.1", "out": "a", "dropout": "vro=0.3"})
        return UncertaintyMap(
            campaign,
            {one.name: one for one in groups},
            self.thresholds,
            self.draws,
            self.dropout,
            Provenance(call, plan.model.opening, plan.data.opening),
        )

    def _attacks(self, campaign: Campaign, label: str) -> list[Group]:
        rows = [row for row in campaign.findings.to_pylist() if row["method"] == label]
        first = [row for row in rows if row["step"] == 0]
        last = [row for row in rows if row["step"] == self.hunted.each - 1]
        turn = np.arange(len(first)) % 12
        made = []
        for kind, some, pcs, vro in (
            ("smallest", first, 0.02 * turn, 1 - (turn % 3) / self.draws),
            ("strongest", last, np.full(len(last), 0.905), np.full(len(last), 5 / self.draws)),
        ):
            truth = np.array([-1 if row["label"] is None else row["label"] for row in some], dtype=int)
            after = np.array([row["after"] for row in some], dtype=int)
            ids, seeds = [row["id"] for row in some], [row["seed_id"] for row in some]
            made.append(self._group(f"{label}, {kind}", ids, seeds, pcs, vro, truth, after))
        return made if rows else [replace(made[0], name=label)]

    def _group(
        self,
        name: str,
        ids: Sequence[str],
        seeds: Sequence[str],
        pcs: np.ndarray,
        vro: np.ndarray,
        label: np.ndarray,
        predicted: np.ndarray,
    ) -> Group:
        vro = np.clip(vro, 0, 1)  # there may be fewer than five draws
        figures = dict.fromkeys(METRICS, vro / 2) | {"pcs": pcs, "vro": vro}
        early = {step: np.abs(vro - 0.1 / step) for step in self.early}
        return Group(name, tuple(ids), tuple(seeds), figures, label, predicted, early)
