"""What the findings of a campaign add to the coverage of its seeds, method by method."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_inputs
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Instrumented
from unnerve.core.naming.catalogue import describe
from unnerve.core.profiles import Profile
from unnerve.core.progress import OnSteps, ShowProgress, steps_shown
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.coverage_gains import CoverageGains, Gain
from unnerve.studies.campaign.hunted_model import as_hunted
from unnerve.studies.cover.cover import profile_from, watched
from unnerve.studies.cover.criteria import criteria_named
from unnerve.studies.cover.settings import CoverageSettings

__all__ = ["check_same_model", "cover_campaign", "coverage_after"]

_ROWS = 1024

States = Mapping[str, Covered]


def cover_campaign(
    model: Any,
    campaign: Campaign,
    profile: Profile | None = None,
    criteria: str | Sequence[str | Coverage] = "all",
    *,
    progress: ShowProgress = None,
) -> CoverageGains:
    """Measure what each method's findings add to the coverage of the seeds, and keep it in the campaign's folder.

    All criteria share one pass over each input. Inputs are read shard by shard: memory does not grow with their number.

    Parameters
    ----------
    model : anything that ``unnerve.model`` takes
        The one that was hunted.
    campaign : Campaign
    profile : Profile, optional
        From :func:`unnerve.profile`; ``kmnc``, ``nbc`` and ``snac`` need it.
    criteria : str, or sequence of str or Coverage
        ``all``, or ``nc,kmnc:sections=100``.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    CoverageGains
        Also in ``coverage.json``, where ``campaign.coverage`` and the report find it.
    """
    asked, subject = criteria_named(criteria), watched(model, campaign.value_range)
    first = _first_seed(campaign)
    check_same_model(subject, campaign, tuple(first.shape[1:]))
    neurons = subject.neuron_map(first)
    if profile is not None:
        profile.check(subject.identity(tuple(first.shape[1:])), neurons)
    with steps_shown(progress, "covering", "inputs") as on_steps:
        whole = _Whole(subject, asked, campaign, on_steps)
        alone = {key: criterion.begin(neurons, profile) for key, criterion in asked.items()}
        seeds = whole.take_in(alone, _seeds(campaign))
        findings, together = {}, {}
        for label in campaign.plan.labels:
            own = {key: criterion.begin(neurons, profile) for key, criterion in asked.items()}
            findings[label] = whole.take_in(own, _found(campaign, label))
            # Joined at once: only one method's states are in memory, beside those of the seeds.
            together[label] = {key: (alone[key] | own[key]).covered for key in asked}
    gains = {
        key: Gain(
            describe(criterion),
            alone[key].total,
            alone[key].covered,
            {label: together[label][key] for label in together},
        )
        for key, criterion in asked.items()
    }
    inputs = None if profile is None else profile.inputs
    found = CoverageGains(len(neurons), neurons.chosen_by, inputs, seeds, findings, gains)
    campaign.store.note("coverage", found.to_json())
    return found


def coverage_after(
    model: Any, data: Examples, settings: CoverageSettings, progress: ShowProgress
) -> Callable[[Campaign], object]:
    """Return what measures the coverage that is asked for after a campaign; what is wrong with it shows now.

    Parameters
    ----------
    model : anything that ``unnerve.model`` takes
    data : Examples
        What the seeds are chosen from.
    settings : CoverageSettings
    progress : bool or callable
    """
    if settings.coverage is None:
        return lambda campaign: None
    named = criteria_named(settings.coverage)
    profiled = [key for key, criterion in named.items() if criterion.profiled]
    if profiled and settings.profile is None:
        raise InvalidSetting(f"--coverage {profiled[0]} needs training data: --profile DATA")
    bounds = profile_from(watched(model, data.value_range), settings.profile, data, progress=progress)
    criteria = list(named.values())
    return lambda campaign: cover_campaign(model, campaign, bounds, criteria, progress=progress)


def check_same_model(model: Instrumented, campaign: Campaign, shape: tuple[int, ...]) -> None:
    """Raise unless it is the model that was hunted."""
    # Neurons of another network would be counted without complaint, and mean nothing.
    # Dropout is part of what a model is, though neurons are the same without it.
    hunted, given = str(campaign.plan.model.hash), as_hunted(model, campaign.plan).identity(shape)
    if hunted != given:
        raise InvalidSetting(
            f"{campaign.store.path} was made with another model: its hash is {hunted[:8]}, not {given[:8]}"
        )


class _Whole:
    """All passes of one measurement, counted together."""

    def __init__(
        self, model: Instrumented, criteria: Mapping[str, Coverage], campaign: Campaign, progress: OnSteps
    ) -> None:
        self.model, self.progress, self.done = model, progress, 0
        self.want = reduce(or_, (criterion.wants for criterion in criteria.values()))
        errors = sum(one.counts().errors for one in campaign.tallies.values())
        # For the bar only: seeds that failed are not passed through the model again.
        self.total = errors + len(_hunted(campaign))

    def take_in(self, states: States, blocks: Iterator[Tensor]) -> int:
        """Let the states see every block; return how many inputs there were."""
        before = self.done
        for x in blocks:
            seen = self.model.observe(x, self.want)
            for state in states.values():
                state.update(seen)
            self.done += len(x)
            self.progress(self.done, self.total)
        return self.done - before


def _first_seed(campaign: Campaign) -> Tensor:
    block = next(_seeds(campaign), None)
    if block is None:
        raise InvalidData(f"{campaign.store.path}: nothing has been hunted yet, so there is nothing to cover")
    return block[:1]


def _hunted(campaign: Campaign) -> set[str]:
    """Return the seeds that some method could hunt: what breaks the model covers nothing."""
    return {seed.id for one in campaign.tallies.values() for seed in one.seeds if seed.failed is None}


def _seeds(campaign: Campaign) -> Iterator[Tensor]:
    hunted = _hunted(campaign)
    for names, inputs in campaign.store.seed_blocks():
        wanted = [row for row, name in enumerate(names) if name in hunted]
        if wanted:
            yield torch.from_numpy(inputs[wanted])


def _found(campaign: Campaign, label: str) -> Iterator[Tensor]:
    for table in campaign.found(label, ["input", "shape", "dtype"]):
        for part in table.to_batches(_ROWS):
            yield torch.from_numpy(stored_inputs(part))
