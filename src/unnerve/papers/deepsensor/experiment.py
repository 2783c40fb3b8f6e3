"""A DeepSensor experiment under way: its model and data, what methods find there, and where their inputs get to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.findings import Seeds
from unnerve.core.methods import Hunter, Normed, Reaction
from unnerve.core.model import Instrumented
from unnerve.core.naming.catalogue import build
from unnerve.core.pools import Pool, PoolHunter
from unnerve.core.profiles import Profile
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered
from unnerve.papers._json import from_json
from unnerve.papers._networks import network, trained
from unnerve.papers._parts import digest
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Setup
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.cover.cover import profile, watched
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["Experiment", "compares", "last"]


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

    @cached_property
    def profile(self) -> Profile:
        """How far neurons go on the same training inputs."""
        return profile(self.model, self.split("train").first(1000))

    def found(
        self, what: str, methods: Mapping[str, str], region: str | None = None, queries: int | None = None
    ) -> dict[str, Found]:
        """Return what each method finds, by the names given to them; parameters as of :meth:`campaign`."""
        campaign = self.campaign(what, methods, region, queries)
        found = {}
        for name, label, row in zip(methods, campaign.plan.labels, campaign.rows(), strict=True):
            own = campaign.tallies[label].seeds
            raw = {"failing": [seed.failing for seed in own], "kinds": [len(seed.kinds) for seed in own]}
            found[name] = from_json(Found, row | raw)
        return found

    def campaign(
        self, what: str, methods: Mapping[str, str], region: str | None = None, queries: int | None = None
    ) -> Campaign:
        """Hunt with several methods from the same seeds; their labels are in the order of the methods.

        Parameters
        ----------
        what : str
            For the name of the campaign's folder; an absolute path leads elsewhere.
        methods : dict of str to str
        region : str, optional
            Another than the setup's.
        queries : int, optional
            For each seed; methods that end before begin again. By default all run to their own ends.
        """
        setup = self.setup
        named: list[object] = [setup, methods]
        if region is not None or queries is not None:
            named += [region, queries]
        name = f"{what}-{setup.network}-{digest(named)}"
        out = str(self.folder / "campaigns" / name)
        wanted = HuntSettings(
            region=region or setup.region,
            inputs=setup.inputs,
            queries=queries,
            seed=setup.seed,
            shard=20,
            # The training data are opened only for methods that compare with them.
            reference=self.split("train") if compares(methods.values()) else None,
        )
        request = CampaignRequest(list(methods.values()), out, again=queries is not None)
        return run_campaign(self.model, self.split("test"), request, wanted, RunSettings(resume=True))

    def points(self, method: str, seeds: Examples, region: str, queries: int | None = None) -> Iterator[Tensor]:
        """Yield after every iteration where a hunter's seeds have got to, failing or not: (N, ...)."""
        batch, hunter = seeds.batch(range(len(seeds))), build("hunter", method)
        clean = Seeds.observed(self.model, batch)
        pooled = isinstance(hunter, PoolHunter)
        meter = Meter(len(batch), queries, shared=pooled)
        context = Context(reference=self.reference, profile=self.profile if pooled else None)
        subject = Subject(Metered(self.model, meter), context)
        now = batch.inputs.clone()
        proposed = _pooled if pooled else _proposed
        for where, rows in proposed(hunter, subject, clean, region, self.setup.seed):
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


def _pooled(
    hunter: PoolHunter, subject: Subject[Metered], seeds: Seeds, region: str, seed: int
) -> Iterator[tuple[Tensor, Tensor]]:
    streams, everyone = Streams(seed, ["pool"]), torch.ones(len(seeds), dtype=torch.bool)
    pool = Pool(subject, seeds, build("region", region), streams, everyone)
    state = hunter.begin(pool)
    for step in count():
        try:
            candidates = hunter.step(replace(pool, step=step), state)
        except BudgetSpent:  # the only end of a queue that never empties
            return
        if candidates is None:
            return
        yield candidates.inputs, candidates.seed_index


def compares(methods: Iterable[str]) -> bool:
    """Say whether one of some methods compares with what neurons usually do."""
    hunters = [build("hunter", method) for method in methods]
    return any(getattr(one, "referenced", False) or getattr(one, "profiled", False) for one in hunters)


def last(points: Iterator[Tensor]) -> Tensor:
    """Return the last of them."""
    *_, end = points
    return end
