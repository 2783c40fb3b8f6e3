"""Cover: how much of a network a set of inputs exercises, and what further inputs add."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from unnerve.core.data.examples import Batch, Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Call, Provenance, called
from unnerve.core.data.ranges import ValueRange
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Capability, Classifier, Instrumented, Observation, Want, require
from unnerve.core.naming.keywords import flat
from unnerve.core.profiles import Profile, finite_neurons
from unnerve.core.progress import OnSteps, ShowProgress, steps_shown
from unnerve.studies.accuracy.accuracy import Accuracy, check_labels
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.findings import found_inputs
from unnerve.studies.cover.criteria import criteria_named
from unnerve.studies.cover.result import Addition, Cover
from unnerve.studies.cover.settings import CoverSettings
from unnerve.subjects.data import further_data
from unnerve.subjects.joined import examples_for, fitted
from unnerve.subjects.models import model as as_model
from unnerve.subjects.opening import DataOptions

__all__ = ["cover", "profile", "profile_from", "watched"]

_ROWS = 1024


def profile(model: Any, data: Any, *, progress: ShowProgress = None) -> Profile:
    """Find out how far each neuron goes on training data.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Profile
        Profiles of parts join with ``|``.

    Examples
    --------
    >>> import unnerve
    >>> training = unnerve.profile("zoo:lenet5", unnerve.examples("mnist:data/mnist", split="train", limit=5000))
    >>> unnerve.cover("zoo:lenet5", "mnist5k", training, "kmnc,nbc,snac").values
    """
    opened: Classifier = as_model(model)
    inputs = examples_for(opened, data, DataOptions())
    subject = watched(opened, inputs.value_range)
    neurons = subject.neuron_map(inputs.batch(range(1)).inputs)
    whole: Profile | None = None
    with steps_shown(progress, "profile", "inputs") as on_steps:
        for _, seen in _passes(subject, inputs, Want.NEURONS, on_steps, (0, len(inputs))):
            values = finite_neurons(seen, neurons)
            # The identity hashes all weights: once is enough.
            identity = whole.model if whole else subject.identity(inputs.shape)
            part = Profile(identity, neurons, values.amin(dim=0), values.amax(dim=0), len(values))
            whole = part if whole is None else whole | part
    assert whole is not None, "examples are never empty"
    return whole


@flat("profile", "criteria")
def cover(model: Any, data: Any, *, settings: CoverSettings, progress: ShowProgress = None) -> Cover:
    """Measure coverage by several criteria in one pass.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        The model's neurons must be watchable: an ``nn.Module``.
    settings : CoverSettings
        What is measured; its fields are given as keywords: ``criteria="nc,kmnc"``, ``also="runs/hunt"``. Profile and
        criteria may also be given as third and fourth argument.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Cover

    Examples
    --------
    >>> import unnerve
    >>> unnerve.cover("zoo:lenet5", "mnist5k", criteria="nc:0.5,tknc").values
    """
    start = time.perf_counter()
    settings.check_file()
    asked = criteria_named(settings.criteria, profiled=settings.profile is not None)
    opened: Classifier = as_model(model)
    whole = examples_for(opened, data, DataOptions())
    inputs, subject = whole.first(settings.inputs), watched(opened, whole.value_range)
    neurons = subject.neuron_map(inputs.batch(range(1)).inputs)
    # A profile of another network or of other neurons is refused here, before the first pass. It is made like the whole
    # data set: fewer inputs are measured, not compared with.
    bounds = profile_from(subject, settings.profile, whole, limit=settings.profile_limit, progress=progress)
    if bounds is not None and settings.save_profile is not None:
        bounds.save(settings.save_profile)
    sets = [(inputs.name, inputs), *_further(settings.also, inputs)]
    with steps_shown(progress, "covering", "inputs") as on_steps:
        (first, *others), accuracy = _measured(
            subject, [one for _, one in sets], asked, lambda c: c.begin(neurons, bounds), on_steps
        )
    additions = [
        Addition(name, 0 if one is None else len(one), {key: first[key] | states[key] for key in asked})
        for (name, one), states in zip(sets[1:], others, strict=True)
    ]
    return Cover(
        model=subject.name,
        data=inputs.name,
        inputs=len(inputs),
        neurons=neurons,
        profile=bounds,
        criteria=asked,
        states=first,
        additions=tuple(additions),
        seconds=time.perf_counter() - start,
        accuracy=accuracy,
        left_out=tuple(set(criteria_named(settings.criteria)) - set(asked)),
        provenance=Provenance(_call(settings), opening_of(subject), opening_of(whole)),
    )


def _call(settings: CoverSettings) -> Call:
    """Return the call in words: a campaign by its place, and without the file that the profile was kept in."""
    also = settings.also.store.path if isinstance(settings.also, Campaign) else settings.also
    return called(cover, {}, replace(settings, also=also, save_profile=None))


def profile_from(
    model: Instrumented, source: Any, like: Examples, *, limit: int | None = None, progress: ShowProgress = None
) -> Profile | None:
    """Return a profile of a model: read from a file, made from training data, or as it is; checked to be the model's.

    Parameters
    ----------
    model : Instrumented
    source : Profile, path of a ``.safetensors`` file, anything that ``unnerve.examples`` takes, or None
    like : Examples
        What will be compared with it.
    limit : int, optional
        Make it from the first so many inputs.
    """
    if source is None:
        return None
    if isinstance(source, Path | str) and str(source).endswith(".safetensors"):
        found = Profile.load(source)
    elif isinstance(source, Profile):
        found = source
    else:
        return profile(model, further_data(source, like, "train").first(limit), progress=progress)
    if limit is not None:
        raise InvalidSetting("--profile-limit needs training data: --profile DATA")
    found.check(model.identity(like.shape), model.neuron_map(like.batch(range(1)).inputs))
    return found


def watched(model: Any, held: ValueRange | None = None) -> Instrumented:
    """Return a model whose neurons can be watched, for data that hold values of a range if one is given, or raise."""
    opened: Classifier = as_model(model)
    subject = opened if held is None else fitted(opened, held)
    require(subject, Capability.NEURONS, "coverage")
    assert isinstance(subject, Instrumented)
    return subject


def _further(also: Any, like: Examples) -> list[tuple[str, Examples | None]]:
    if also is None:
        return []
    if isinstance(also, str) and ("://" in also or (Path(also) / "campaign.json").is_file()):
        also = Campaign.at(also)
    if isinstance(also, Campaign):
        return list(found_inputs(also, like).items())
    more = further_data(also, like)
    return [(more.name, more)]


def _measured(
    model: Instrumented,
    sets: Sequence[Examples | None],
    criteria: Mapping[str, Coverage],
    begin: Callable[[Coverage], Covered],
    progress: OnSteps,
) -> tuple[list[dict[str, Covered]], Accuracy]:
    """Return what each set covers, and how often answers to the first are right; all criteria share its passes."""
    # What any criterion asks for is recorded once, and shown to all.
    want = reduce(or_, (criterion.wants for criterion in criteria.values()))
    total, done, measured = sum(len(one) for one in sets if one is not None), 0, []
    first = sets[0]
    assert first is not None, "only what a campaign adds may be nothing"
    right = Accuracy({}, 0, first.classes)
    for one in sets:
        states = {key: begin(criterion) for key, criterion in criteria.items()}
        if one is not None:
            for batch, seen in _passes(model, one, want, progress, (done, total)):
                for state in states.values():
                    state.update(seen)
                if one is first:
                    check_labels(first, seen.logits.shape[1], model.name)
                    right += _answered(batch, seen)
            done += len(one)
        measured.append(states)
    right.tell(model.name)
    return measured, right


def _answered(batch: Batch, seen: Observation) -> Accuracy:
    labels = None if batch.labels is None else batch.labels.numpy()
    return Accuracy.counted(seen.predicted.cpu().numpy(), labels, seen.logits.shape[1])


def _passes(
    model: Instrumented, data: Examples, want: Want, progress: OnSteps, place: tuple[int, int]
) -> Iterator[tuple[Batch, Observation]]:
    done, total = place
    for batch in data.batches(_ROWS):
        yield batch, model.observe(batch.inputs, want)
        done += len(batch)
        progress(done, total)
