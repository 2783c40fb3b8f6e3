"""A DeepSensor experiment under way: its model and data, what methods find there, and where their inputs get to."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.findings import Seeds
from unnerve.core.methods import Hunter, Normed, Reaction
from unnerve.core.model import Instrumented
from unnerve.core.naming.catalogue import build
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.papers._json import from_json
from unnerve.papers._networks import network, trained
from unnerve.papers._parts import digest
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Setup
from unnerve.studies.cover.cover import watched
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["Experiment", "last"]


@dataclass(frozen=True)
class Experiment:
    """A setup with its model and its data.

    Parameters
    ----------
    setup : Setup
    data, folder : Path
        Where data are read, and results kept.
    training : callable, optional
        What becomes of the training data before a network is trained on them, for networks that are faulty on purpose.
    """

    setup: Setup
    data: Path
    folder: Path
    training: Callable[[Examples], Examples] | None = None

    @cached_property
    def model(self) -> Instrumented:
        """The network, trained if it must be."""
        setup = self.setup
        if setup.recipe is None:
            return watched(network(setup.network, setup.data, self.data))
        weights = trained(setup.network, setup.recipe, self._trained_on, self.folder)
        return watched(model(f"zoo:{setup.network}", weights=weights))

    def _trained_on(self) -> Examples:
        every = self.split("train")
        return every if self.training is None else self.training(every)

    def split(self, name: str) -> Examples:
        """Read ``train`` or ``test``."""
        return examples(f"{self.setup.data}:{self.data / self.setup.data}", split=name)

    @property
    def radius(self) -> float:
        """Of the region."""
        region = build("region", self.setup.region)
        assert isinstance(region, Normed)
        return region.reach

    @cached_property
    def seeds(self) -> Examples:
        """The first correctly classified test inputs."""
        return hunted_seeds(self.model, self.split("test"), self.setup.inputs).seeds

    @cached_property
    def reference(self) -> Reference:
        """What neurons usually do: on the first 1,000 training inputs."""
        return Reference.observed(self.model, self.split("train").first(1000))

    def found(self, what: str, methods: Mapping[str, str]) -> dict[str, Found]:
        """Return what each method finds, by the names given to them."""
        setup = self.setup
        name = f"{what}-{setup.network}-{digest([setup, methods])}"
        out = str(self.folder / "campaigns" / name)
        # The training data are opened only for methods that compare with them.
        comparing = any(getattr(build("hunter", method), "referenced", False) for method in methods.values())
        wanted = HuntSettings(
            region=setup.region,
            inputs=setup.inputs,
            seed=setup.seed,
            shard=20,
            reference=self.split("train") if comparing else None,
        )
        request = CampaignRequest(list(methods.values()), out)
        campaign = run_campaign(self.model, self.split("test"), request, wanted, RunSettings(resume=True))
        found = {}
        for name, label, row in zip(methods, campaign.plan.labels, campaign.rows(), strict=True):
            own = campaign.tallies[label].seeds
            raw = {"failing": [seed.failing for seed in own], "kinds": [len(seed.kinds) for seed in own]}
            found[name] = from_json(Found, row | raw)
        return found

    def points(self, method: str, seeds: Examples, region: str) -> Iterator[Tensor]:
        """Yield after every iteration where a hunter's seeds have got to, failing or not: (N, ...)."""
        batch, hunter = seeds.batch(range(len(seeds))), build("hunter", method)
        clean = Seeds.observed(self.model, batch)
        subject = Subject(Metered(self.model, Meter(len(batch))), Context(reference=self.reference))
        now = batch.inputs.clone()
        for where, rows in _proposed(hunter, subject, clean, region, self.setup.seed):
            now[rows] = where
            yield now

    def reactions(self, reaction: Reaction, seeds: Examples, changed: Tensor) -> Tensor:
        """Return how each neuron reacts to changed inputs (N, P, ...): (N, P, U)."""
        batch = seeds.batch(range(len(seeds)))
        subject = Subject(Metered(self.model, Meter(len(batch))), Context(reference=self.reference))
        react = reaction.prepare(subject, Seeds.observed(self.model, batch), Streams(self.setup.seed, batch.ids))
        rows = torch.arange(len(batch))
        # Fifty seeds at a time, because a reaction asks for all neurons at several points between seed and change.
        return torch.cat([react(changed[some], some) for some in rows.split(50)])


def _proposed(
    hunter: Hunter, subject: Subject[Metered], seeds: Seeds, region: str, seed: int
) -> Iterator[tuple[Tensor, Tensor]]:
    hunt = hunter.hunt(subject, seeds, build("region", region), Streams(seed, seeds.batch.ids))
    # All seeds stay wanted, also those that fail: unlike a campaign, these experiments follow every input to its end.
    wanted = torch.ones(len(seeds), dtype=torch.bool)
    candidates = next(hunt, None)
    while candidates is not None:
        yield candidates.inputs, candidates.seed_index
        try:
            candidates = hunt.send(wanted)
        except StopIteration:
            return


def last(points: Iterator[Tensor]) -> Tensor:
    """Return the last of them."""
    *_, end = points
    return end
