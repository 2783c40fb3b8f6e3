"""Reactions: which neurons react when seeds become errors, and do they react less to noise of the same size."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.data.feature_tensors import FeatureTensors
from unnerve.core.data.ranges import ValueRange
from unnerve.core.errors import InvalidData
from unnerve.core.facts import ReactionWords
from unnerve.core.findings import Seeds
from unnerve.core.methods import React, Reaction, Referenced
from unnerve.core.model import Instrumented, require
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.progress import OnSteps
from unnerve.core.reference import Reference
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.hunted_data import check_same_data
from unnerve.studies.cover.cover import watched
from unnerve.studies.cover.cover_campaign import check_same_model
from unnerve.studies.react.feature_plane import FeaturePlane, Inputs, feature_plane
from unnerve.studies.react.result import Reacted, Reactions
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.data import examples

__all__ = ["reactions"]

_BLOCK = 16
_DRAWN = 60
"""Errors of a method that are drawn in the plane: more would cover each other."""
_USUAL = 1000
# Differs: the papers print 0.5 for both. Shapley values add up to the change of the loss, so that of hundreds of
# neurons hardly one would reach 0.5 nats.
_SENSITIVE, _EXCITABLE = 0.5, 0.02


def reactions(
    model: Any,
    data: Any,
    campaign: Campaign,
    settings: ReactSettings | None = None,
    *,
    seed: int = 0,
    progress: OnSteps = lambda done, total: None,
) -> Reactions:
    """Measure how the neurons react to what each method of a campaign found.

    Of every seed the finding with the smallest change is taken. It is compared with noise of the same size: the same
    amounts of change, at shuffled places and with random signs.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        The model that was hunted, and what its seeds are from: the first 1,000 inputs show what neurons usually do.
        Other data are refused.
    campaign : Campaign
    settings : ReactSettings, optional
    seed : int
        The random seed of the noise, and of estimators that draw.
    progress : callable (pairs done, pairs in all)

    Returns
    -------
    Reactions
    """
    settings = settings or ReactSettings()
    start = time.perf_counter()
    inputs = examples(data)
    subject = watched(model, inputs.value_range)
    check_same_model(subject, campaign, inputs.shape)
    check_same_data(inputs, campaign)
    measure: Reaction = build("reaction", settings.reaction)
    require(subject, measure.needs, str(describe(measure)["name"]))
    chosen = {label: _smallest(campaign, label, settings.pairs) for label in campaign.plan.labels}
    if not any(chosen.values()):
        raise InvalidData(f"{campaign.store.path}: no error was found, so there is nothing to react to")
    usual = _EXCITABLE if measure.hidden else _SENSITIVE
    limit = usual if settings.threshold is None else settings.threshold
    measurement = _Measurement(
        subject, campaign, measure, _usual(subject, inputs, measure), limit, inputs.value_range, seed
    )
    found = measurement.methods(chosen, progress)
    neurons = subject.neuron_map(inputs.batch(range(1)).inputs)
    return Reactions(
        model=subject.name,
        campaign=campaign.store.path,
        reaction=describe(measure),
        threshold=limit,
        neurons=neurons.hidden if measure.hidden else neurons,
        methods=found,
        nothing=tuple(label for label, names in chosen.items() if not names),
        top=settings.top,
        seconds=time.perf_counter() - start,
        plane=measurement.plane(chosen),
        accuracy=campaign.accuracy,
        words=getattr(measure, "words", ReactionWords()),
    )


@dataclass(frozen=True, eq=False)
class _Measurement:
    """What all pairs share."""

    model: Instrumented
    campaign: Campaign
    reaction: Reaction
    usual: Reference | None
    threshold: float
    bounds: tuple[float, float]
    seed: int

    def methods(self, chosen: Mapping[str, dict[str, str]], progress: OnSteps) -> dict[str, Reacted]:
        """Measure the findings of every method that has some."""
        total, done = sum(map(len, chosen.values())), 0
        found = {}
        for label, names in chosen.items():
            parts = []
            for part in self.parts(label, names):
                parts.append(part)
                done += part.pairs
                progress(done, total)
            if parts:
                # From the first part on: sum() alone would begin with 0, to which no part can be added.
                found[label] = sum(parts[1:], parts[0])
        return found

    def parts(self, label: str, names: dict[str, str]) -> Iterator[Reacted]:
        """Measure a method's findings, some at a time: ``names`` are those of seeds and of their findings."""
        found = _inputs(self.campaign, label, set(names.values()))
        seeds, labels = self.campaign.store.seeds(names), self.campaign.store.labels()
        order = list(names)
        for first in range(0, len(order), _BLOCK):
            some = order[first : first + _BLOCK]
            centre = torch.from_numpy(np.stack([seeds[name] for name in some]))
            changed = torch.from_numpy(np.stack([found[names[name]] for name in some]))
            yield self._reacted(_batch(centre, some, labels, self.bounds), changed)

    def plane(self, chosen: Mapping[str, dict[str, str]]) -> FeaturePlane | None:
        """Place the seeds that broke, and what they became, in one plane."""
        labels = self.campaign.store.labels()
        if None in labels.values():
            return None
        known = {name: int(label) for name, label in labels.items() if label is not None}
        broken = list(dict.fromkeys(name for names in chosen.values() for name in list(names)[:_DRAWN]))
        stored = self.campaign.store.seeds(broken)
        seeds = _plane_inputs([stored[name] for name in broken], broken, known)
        methods = {}
        for label, names in chosen.items():
            some = list(names)[:_DRAWN]
            found = _inputs(self.campaign, label, {names[name] for name in some})
            if some:
                methods[label] = _plane_inputs([found[names[name]] for name in some], some, known)
        placed = feature_plane(self.model, seeds, methods, self.seed)
        return None if placed is None else replace(placed, classes=tuple(self.campaign.header["classes"]))

    def _reacted(self, batch: Batch, changed: Tensor) -> Reacted:
        metered = Metered(self.model, Meter(len(batch)))
        own = torch.arange(len(batch))
        seeds = Seeds(batch, metered.of(own).observe(batch.inputs), self._target(len(batch)))
        streams = Streams(self.seed, batch.ids)
        react = self.reaction.prepare(Subject(metered, Context(reference=self.usual)), seeds, streams)
        noise = self._noise(batch.inputs, changed, streams)
        answers = metered.of(own).observe(noise).predicted
        sums, times = self._counted(react, changed)
        noise_sums, noise_times = self._counted(react, noise)
        wrong = int((answers != seeds.expected).sum())
        return Reacted(len(batch), sums, times, noise_sums, noise_times, wrong)

    def _noise(self, centre: Tensor, changed: Tensor, streams: Streams) -> Tensor:
        if self.campaign.features is None:
            return _shuffled(centre, changed, streams, self.bounds)
        # A change of 200 in income is none of 200 years: they are exchanged in standard deviations.
        units = FeatureTensors.of(self.campaign.features)
        bounds = (0.0, float((units.widths * units.free).max()))
        return units.settled(_shuffled(units.measured(centre), units.measured(changed), streams, bounds), centre)

    def _counted(self, react: React, changed: Tensor) -> tuple[Tensor, Tensor]:
        """Return the sum of each neuron's reactions, and how often it exceeds the threshold: float64 (U,) each."""
        values = react(changed.unsqueeze(1), torch.arange(len(changed))).squeeze(1)
        return values.double().sum(dim=0), (values > self.threshold).double().sum(dim=0)

    def _target(self, count: int) -> Tensor | None:
        target = self.campaign.plan.oracle.target
        return None if target is None else torch.full((count,), target)


def _usual(model: Instrumented, data: Examples, reaction: Reaction) -> Reference | None:
    compares = isinstance(reaction, Referenced) and reaction.referenced
    return Reference.observed(model, data.first(_USUAL)) if compares else None


def _smallest(campaign: Campaign, label: str, most: int) -> dict[str, str]:
    """Return the finding with the smallest change of each of the first seeds that broke: seed id -> finding id."""
    best: dict[str, tuple[float, str]] = {}
    for table in campaign.found(label, ["id", "seed_id", "l2"]):
        for name, seed, size in zip(*(table[key].to_pylist() for key in ("id", "seed_id", "l2")), strict=True):
            best[seed] = min(best.get(seed, (float("inf"), "")), (size, name))
    return {seed: name for seed, (_, name) in list(best.items())[:most]}


def _inputs(campaign: Campaign, label: str, wanted: set[str]) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for table in campaign.found(label, ["id", "input", "shape", "dtype"]):
        rows = [row for row, name in enumerate(table["id"].to_pylist()) if name in wanted]
        for row in table.take(pa.array(rows, pa.int64())).to_pylist():
            found[row["id"]] = stored_array(row["input"], row["shape"], row["dtype"])
    return found


def _plane_inputs(arrays: Sequence[np.ndarray], seeds: Sequence[str], labels: Mapping[str, int]) -> Inputs:
    return Inputs(torch.from_numpy(np.stack(arrays)), tuple(labels[name] for name in seeds), tuple(seeds))


def _batch(inputs: Tensor, names: Sequence[str], labels: dict[str, int | None], held: ValueRange) -> Batch:
    known = [labels[name] for name in names]
    truths = None if None in known else torch.tensor(known)
    return Batch(inputs, truths, tuple(names), held)


def _shuffled(centre: Tensor, changed: Tensor, streams: Streams, bounds: tuple[float, float]) -> Tensor:
    """Return the seeds with the same amounts of change at other places; signs are random where the range allows it."""
    sizes = (changed - centre).abs().flatten(1)
    places = streams.permutations(0, 1, sizes.shape[1])
    signs = torch.where(streams.uniform(0, 2, (sizes.shape[1],)) < 0.5, -1.0, 1.0)
    change = (sizes.gather(1, places) * signs).view_as(centre)
    low, high = bounds
    # Clamped, noise would be smaller than the change that it is compared with: it goes the other way instead.
    outside = (centre + change < low) | (centre + change > high)
    return (centre + torch.where(outside, -change, change)).clamp_(low, high)
