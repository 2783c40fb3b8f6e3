"""What campaigns found, but for the inputs themselves: arrays from which a report is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from unnerve.campaign.plan import Shard
from unnerve.campaign.tally import Shortage
from unnerve.reports.campaign.compared_methods import (
    ComparedMethod,
    compared_methods,
    method_differences,
    method_shortages,
    task,
)
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.names import class_name
from unnerve.reports.parts.thumbnails import input_noun
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import Difference

__all__ = ["Evidence", "Found", "evidence"]


@dataclass(frozen=True, eq=False)
class Found:
    """All findings, one place of each array for one.

    Parameters
    ----------
    method, seed, before, after : int64 arrays of shape (F,)
        Places in the lists of the evidence.
    change : float array of shape (F,)
        Euclidean distance from its seed.
    reach : float array of shape (F,)
        Distance from its seed in the region's own norm.
    shard, row : int64 arrays of shape (F,)
        Where it is stored.
    """

    method: np.ndarray
    seed: np.ndarray
    before: np.ndarray
    after: np.ndarray
    change: np.ndarray
    reach: np.ndarray
    shard: np.ndarray
    row: np.ndarray

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a report on some campaigns is made from.

    Parameters
    ----------
    campaigns : tuple of Campaign
    tasks : tuple of int
        By campaign: those with the same model, seeds, region and oracle share a number.
    methods : tuple of ComparedMethod
        Those that broke more seeds first; without those that had too few queries for one step.
    shortages : dict of str to Shortage
        What those lacked, by label.
    differences : tuple of Difference
        Between methods of campaigns that are alike.
    seeds : tuple of (int, str)
        Task and id of every seed that was hunted.
    truths : int64 array of shape (S,)
        Class of every seed, -1 if the data has no labels.
    classes : tuple of str
        Names that can be shown, in the order of their numbers.
    shape : tuple of int
        Of one input.
    shards : tuple of (int, Shard)
        Those with findings: campaign and shard.
    found : Found
    """

    campaigns: tuple[Campaign, ...]
    tasks: tuple[int, ...]
    methods: tuple[ComparedMethod, ...]
    shortages: dict[str, Shortage]
    differences: tuple[Difference, ...]
    seeds: tuple[tuple[int, str], ...]
    truths: np.ndarray
    classes: tuple[str, ...]
    shape: tuple[int, ...]
    shards: tuple[tuple[int, Shard], ...]
    found: Found

    @property
    def leading(self) -> Campaign:
        """The first campaign that found something, which commands go on with; the first of all if none did."""
        return self.campaigns[self.shards[0][0] if self.shards else 0]

    @property
    def noun(self) -> str:
        """What the inputs are."""
        return "clips" if self.campaigns[0].clips is not None else input_noun(self.shape)

    @property
    def of_errors(self) -> bool:
        """Whether all findings are errors; those of a pattern may be benign."""
        # One campaign of patterns is enough to make the word error wrong for the page as a whole.
        return all(one.plan.oracle.of_errors for one in self.campaigns)

    @property
    def finding_words(self) -> tuple[str, str, str]:
        """What seeds, kinds of findings and findings are called."""
        return ("seeds broken", "kinds", "errors") if self.of_errors else ("seeds reached", "answers", "inputs")

    @property
    def broken(self) -> np.ndarray:
        """Which seeds broke, whatever the method: bool (S,)."""
        hit = np.zeros(len(self.seeds), dtype=bool)
        hit[self.found.seed] = True
        return hit

    def smallest_changes(self) -> np.ndarray:
        """Return the smallest change known to break each seed, in the region's norm: (S,), infinite for none.

        That of its nearest finding, or less, where the way from the seed to its surest one was halved.
        """
        least = self.smallest(self.found.reach)
        places = {seed: place for place, seed in enumerate(self.seeds)}
        for number, campaign in zip(self.tasks, self.campaigns, strict=True):
            for name, value in campaign.smallest_changes.items():
                place = places.get((number, name))
                if place is not None:
                    least[place] = min(least[place], value)
        return least

    def smallest(self, distances: np.ndarray) -> np.ndarray:
        """Return the smallest of each seed's distances, given those of all findings, (F,): (S,), infinite for none."""
        least = np.full(len(self.seeds), np.inf)
        # A distance that was not measured is NaN, and would stay the smallest of all.
        np.minimum.at(least, self.found.seed, np.nan_to_num(distances, nan=np.inf))
        return least


def evidence(campaigns: Sequence[Campaign]) -> Evidence:
    """Read everything but the inputs, shard by shard."""
    every = compared_methods(campaigns)
    reading = _Reading(campaigns, every)
    parts = [part for number in range(len(campaigns)) for part in reading.parts(number)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else _nothing()
    order, names = reading.sorted_classes()
    method, seed, before, after, change, reach, shard, row = columns
    truths = np.array(reading.truths, dtype=np.int64)
    return Evidence(
        campaigns=tuple(campaigns),
        tasks=reading.tasks,
        methods=every,
        shortages=method_shortages(campaigns),
        differences=method_differences(campaigns, every),
        seeds=tuple(reading.seeds),
        truths=np.where(truths < 0, -1, order[truths]) if len(order) else truths,
        classes=names,
        shape=_shape(campaigns[0], [shard for number, shard in reading.shards if number == 0]),
        shards=tuple(reading.shards),
        found=Found(method, seed, order[before], order[after], change, reach, shard, row),
    )


@dataclass(eq=False)
class _Reading:
    """Numbers for seeds and classes, given out while shards are read."""

    campaigns: Sequence[Campaign]
    methods: tuple[ComparedMethod, ...]
    seeds: dict[tuple[int, str], int] = field(default_factory=dict)
    truths: list[int] = field(default_factory=list)
    classes: dict[tuple[int, str], int] = field(default_factory=dict)
    shards: list[tuple[int, Shard]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Campaigns of one model, region and oracle share their seeds: each is counted once.
        keys = [task(one.plan) for one in self.campaigns]
        self.tasks = tuple(list(dict.fromkeys(keys)).index(key) for key in keys)

    def parts(self, number: int) -> Iterator[tuple[np.ndarray, ...]]:
        """Yield the columns of every shard of a campaign that holds findings."""
        campaign = self.campaigns[number]
        names = class_names(campaign)
        mine = {method.tally.method: place for place, method in enumerate(self.methods) if method.campaign == number}
        self._note_seeds(number, names)
        # A region that is no ball has no norm of its own; L2 can always be told.
        norm = campaign.plan.region.norm or "l2"
        for shard, table, _ in campaign.store.shards([*dict.fromkeys(["seed_id", "before", "after", "l2", norm])]):
            if table.num_rows == 0:
                continue
            self.shards.append((number, shard))
            count = table.num_rows
            yield (
                np.full(count, mine[campaign.plan.labels[shard.method]]),
                self._seeds(table["seed_id"], self.tasks[number]),
                self._classes(table["before"], names),
                self._classes(table["after"], names),
                table["l2"].to_numpy().astype(float),
                table[norm].to_numpy().astype(float),
                np.full(count, len(self.shards) - 1),
                np.arange(count),
            )

    def sorted_classes(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return the final place of every class, and the names in that order."""
        # By number, not by when a shard first met them: the matrix must not depend on what was found.
        keys = sorted(self.classes)
        order = np.zeros(len(keys), dtype=np.int64)
        for place, key in enumerate(keys):
            order[self.classes[key]] = place
        return order, tuple(name for _, name in keys)

    def _note_seeds(self, number: int, names: list[str]) -> None:
        campaign, task = self.campaigns[number], self.tasks[number]
        for index in range(len(names)):
            self._class(index, names)
        labels = campaign.store.labels()
        for method in (method for method in self.methods if method.campaign == number):
            for seed in (seed for seed in method.tally.seeds if seed.failed is None):
                label = labels.get(seed.id)
                self._seed((task, seed.id), -1 if label is None else self._class(label, names))

    def _seeds(self, column: pa.ChunkedArray, task: int) -> np.ndarray:
        # A hundred thousand findings have a few hundred seeds: names are looked up once per seed.
        coded = column.combine_chunks().dictionary_encode()
        numbers = np.array([self._seed((task, one), -1) for one in coded.dictionary.to_pylist()], dtype=np.int64)
        return np.asarray(numbers[coded.indices.to_numpy()])

    def _classes(self, column: pa.ChunkedArray, names: list[str]) -> np.ndarray:
        indices, inverse = np.unique(column.to_numpy(), return_inverse=True)
        numbers = np.array([self._class(int(index), names) for index in indices], dtype=np.int64)
        return np.asarray(numbers[inverse])

    def _seed(self, key: tuple[int, str], truth: int) -> int:
        if key not in self.seeds:
            self.seeds[key] = len(self.seeds)
            self.truths.append(truth)
        return self.seeds[key]

    def _class(self, index: int, names: list[str]) -> int:
        return self.classes.setdefault((index, class_name(names, index)), len(self.classes))


def _shape(campaign: Campaign, with_findings: Sequence[Shard]) -> tuple[int, ...]:
    """Return the shape of an input: of a finding, or, where there is none, of a seed."""
    if with_findings:
        table, _ = campaign.store.read(with_findings[0], ["shape"])
        return tuple(table["shape"][0].as_py())
    first = next(iter(campaign.store.labels()), None)
    found = {} if first is None else campaign.store.seeds([first])
    return next((array.shape for array in found.values()), ())


def _nothing() -> list[np.ndarray]:
    empty = np.zeros(0, dtype=np.int64)
    return [empty, empty, empty, empty, np.zeros(0), np.zeros(0), empty, empty]
