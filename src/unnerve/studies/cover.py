"""Cover: how much of a network a set of inputs exercises, and what further inputs add."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from unnerve.core.catalogue import build, describe, names
from unnerve.core.errors import InvalidSetting
from unnerve.core.examples import Examples
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Capability, Instrumented, Observation, Want, require
from unnerve.core.profiles import Profile, finite_neurons
from unnerve.core.specification import specifications
from unnerve.studies.campaign import Campaign
from unnerve.studies.coverage import Addition, Cover
from unnerve.studies.findings import found_inputs
from unnerve.subjects.data import examples
from unnerve.subjects.models import model as as_model

__all__ = ["Progress", "cover", "criteria_named", "profile", "watched"]

Progress = Callable[[int, int], None]
_ROWS = 1024


def profile(model: Any, data: Any, *, progress: Progress | None = None) -> Profile:
    """Find out how far each neuron goes on training data.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    progress : callable (inputs done, inputs in all), optional

    Returns
    -------
    Profile
        Profiles of parts join with ``|``.
    """
    subject, inputs = watched(model), examples(data)
    neurons = subject.neuron_map(inputs.batch(range(1)).inputs)
    whole: Profile | None = None
    for seen in _passes(subject, inputs, Want.NEURONS, progress, (0, len(inputs))):
        values = finite_neurons(seen, neurons)
        identity = whole.model if whole else subject.identity(inputs.shape)
        part = Profile(identity, neurons, values.amin(dim=0), values.amax(dim=0), len(values))
        whole = part if whole is None else whole | part
    assert whole is not None, "examples are never empty"
    return whole


def cover(
    model: Any,
    data: Any,
    profile: Profile | None = None,
    criteria: str | Sequence[str | Coverage] = "all",
    *,
    also: Any = None,
    progress: Progress | None = None,
) -> Cover:
    """Measure coverage by several criteria in one pass.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        The model's neurons must be watchable: an ``nn.Module``.
    profile : Profile, optional
        From :func:`profile` or ``Profile.load``, of the same model and neurons; ``kmnc``, ``nbc`` and ``snac`` need it.
    criteria : str, or sequence of str or Coverage
        ``all``, or ``nc,kmnc:sections=100``.
    also : data or Campaign, optional
        Further inputs: what do they add? Of a campaign, each method's findings are added on their own.
    progress : callable (inputs done, inputs in all), optional

    Returns
    -------
    Cover
    """
    start = time.perf_counter()
    asked = criteria_named(criteria)
    subject, inputs = watched(model), examples(data)
    neurons = subject.neuron_map(inputs.batch(range(1)).inputs)
    if profile is not None:
        profile.check(subject.identity(inputs.shape), neurons)
    sets = [(inputs.name, inputs), *_further(also, inputs)]
    first, *others = _measured(subject, [one for _, one in sets], asked, lambda c: c.begin(neurons, profile), progress)
    additions = [
        Addition(name, 0 if one is None else len(one), {key: first[key] | states[key] for key in asked})
        for (name, one), states in zip(sets[1:], others, strict=True)
    ]
    took = time.perf_counter() - start
    return Cover(subject.name, inputs.name, len(inputs), neurons, profile, asked, first, tuple(additions), took)


def criteria_named(asked: str | Sequence[str | Coverage]) -> dict[str, Coverage]:
    """Return criteria by name; those of which there are several, by name and settings."""
    texts = names("coverage") if asked == "all" else specifications(asked) if isinstance(asked, str) else asked
    criteria: list[Coverage] = [build("coverage", one) for one in texts]
    if not criteria:
        raise InvalidSetting("criteria must name at least one")
    own = [describe(criterion) for criterion in criteria]
    several = {one["name"] for one in own if sum(other["name"] == one["name"] for other in own) > 1}
    return {_key(one, one["name"] in several): criterion for one, criterion in zip(own, criteria, strict=True)}


def watched(model: Any) -> Instrumented:
    """Return a model whose neurons can be watched, or raise."""
    subject = as_model(model)
    require(subject, Capability.NEURONS, "coverage")
    assert isinstance(subject, Instrumented)
    return subject


def _key(description: Mapping[str, Any], full: bool) -> str:
    name, *settings = description.items()
    words = ",".join(f"{key}={value}" for key, value in settings)
    return f"{name[1]}:{words}" if full and words else str(name[1])


def _further(also: Any, like: Examples) -> list[tuple[str, Examples | None]]:
    if also is None:
        return []
    if isinstance(also, Campaign):
        return list(found_inputs(also, like).items())
    more = examples(also)
    return [(more.name, more)]


def _measured(
    model: Instrumented,
    sets: Sequence[Examples | None],
    criteria: Mapping[str, Coverage],
    begin: Callable[[Coverage], Covered],
    progress: Progress | None,
) -> list[dict[str, Covered]]:
    """Return what each set covers; all criteria share its passes."""
    want = reduce(or_, (criterion.wants for criterion in criteria.values()))
    total, done, measured = sum(len(one) for one in sets if one is not None), 0, []
    for one in sets:
        states = {key: begin(criterion) for key, criterion in criteria.items()}
        if one is not None:
            for seen in _passes(model, one, want, progress, (done, total)):
                for state in states.values():
                    state.update(seen)
            done += len(one)
        measured.append(states)
    return measured


def _passes(
    model: Instrumented, data: Examples, want: Want, progress: Progress | None, place: tuple[int, int]
) -> Iterator[Observation]:
    done, total = place
    for batch in data.batches(_ROWS):
        yield model.observe(batch.inputs, want)
        done += len(batch)
        if progress is not None:
            progress(done, total)
