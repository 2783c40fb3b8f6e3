"""Hunt: find inputs that fail, prove them, keep them in a folder that can be resumed."""

import platform
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import unnerve
from unnerve.campaign.campaign_run import CampaignRun, Engine
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines.local import Local
from unnerve.campaign.plan import Plan, shards
from unnerve.campaign.run import Unfinished, rehearse
from unnerve.campaign.store import Store
from unnerve.campaign.tally import tally
from unnerve.core.catalogue import build, describe
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.examples import Examples
from unnerve.core.model import Classifier
from unnerve.generate.attacks.foreign import adopted
from unnerve.studies._hunted_seeds import hunted_seeds
from unnerve.studies._reference import compared
from unnerve.studies.campaign import Campaign
from unnerve.subjects.data import examples
from unnerve.subjects.models import model as as_model

__all__ = ["HuntSettings", "Progress", "RunSettings", "default_region", "hunt", "hunted_seeds", "run_campaign"]


@dataclass(frozen=True)
class HuntSettings:
    """How to hunt; everything here is part of the campaign's plan.

    Parameters
    ----------
    region : str or None
        ``linf:0.1``, ``l2:1.5``, ``l0:0.05``; by default linf 0.1 for 28x28 grey images and 8/255 otherwise.
    oracle : str or None
        ``misclassified`` with labels and ``changed`` without, by default.
    target : int or None
        Only answers of this class count (the oracle ``becomes``).
    inputs : int
        Seeds: the first so many correctly classified inputs, or simply the first ones without labels.
    queries : int or None
        Most queries per seed.
    again : bool
        A method that has ended starts once more while its seeds have queries left.
    stop_at_first : bool
        Leave a seed alone after its first finding, instead of going on for further kinds of errors.
    quantised : bool
        Findings must still fail after rounding to 8 bits.
    seed : int
        Decides everything random.
    shard : int
        Seeds that are run and stored together.
    reference : anything that ``unnerve.examples`` takes, or None
        What methods compare with that measure neurons by what they usually do (``deepsensor``): the first 1,000
        inputs of it, or of the data itself.
    """

    region: str | None = None
    oracle: str | None = None
    target: int | None = None
    inputs: int = 100
    queries: int | None = None
    again: bool = False
    stop_at_first: bool = False
    quantised: bool = False
    seed: int = 0
    shard: int = 50
    reference: Any = None

    def __post_init__(self) -> None:
        if self.target is not None and self.oracle is not None:
            raise InvalidSetting(f"target {self.target} is an oracle of its own; leave oracle '{self.oracle}' away")


@dataclass(frozen=True)
class Progress:
    """How far a campaign is.

    Parameters
    ----------
    seeds, total : int
        Seeds done, and to be done, summed over methods.
    counts : Counts
        Found so far, unfinished shards included.
    """

    seeds: int
    total: int
    counts: Counts


@dataclass(frozen=True)
class RunSettings:
    """How to run; nothing here changes what is found.

    Parameters
    ----------
    engine : Engine
    resume : bool
        Go on with the campaign in the folder if there is one.
    seconds : float or None
        Stop after so long; what is finished by then is kept, and the rest can be resumed.
    progress : callable (Headway), optional
    """

    engine: Engine = field(default_factory=Local)
    resume: bool = False
    seconds: float | None = None
    progress: Callable[[Progress], None] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InvalidSetting(f"seconds must be > 0, got {self.seconds}")


def hunt(
    model: Any,
    data: Any,
    method: Any = "pgd",
    out: str = "runs/hunt",
    *,
    region: str | None = None,
    oracle: str | None = None,
    target: int | None = None,
    inputs: int = 100,
    queries: int | None = None,
    stop_at_first: bool = False,
    quantised: bool = False,
    seed: int = 0,
    shard: int = 50,
    reference: Any = None,
    engine: Engine | None = None,
    resume: bool = False,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Campaign:
    """Hunt for failing inputs and keep what is proven.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    method : str, Hunter, or an attack of your own
        A hunter with its settings, ``pgd:steps=40``; or a function or an attack that ``foreign`` takes.
    out : str
        Folder of the campaign; anything that fsspec can reach.
    region, oracle, target, inputs, queries, stop_at_first, quantised, seed, shard, reference
        What to hunt for: see :class:`Hunting`.
    engine, resume, seconds, progress
        How to run it: see :class:`Running`.

    Returns
    -------
    Campaign
        With ``findings`` (a table), ``summary()`` and ``report()``.
    """
    hunting = HuntSettings(
        region=region,
        oracle=oracle,
        target=target,
        inputs=inputs,
        queries=queries,
        stop_at_first=stop_at_first,
        quantised=quantised,
        seed=seed,
        shard=shard,
        reference=reference,
    )
    return run_campaign(model, data, [method], out, hunting, RunSettings(engine or Local(), resume, seconds, progress))


def run_campaign(
    model: Any, data: Any, methods: Sequence[Any], out: str, hunting: HuntSettings, running: RunSettings
) -> Campaign:
    """Run a campaign of one or several methods, from wherever it stands to its end."""
    store = Store(out)
    if not running.resume:
        store.check_free()  # now, not after the seeds were chosen
    subject, whole = as_model(model), examples(data)
    seeds, looked_at = hunted_seeds(subject, whole, hunting.inputs, hunting.target)
    plan = _plan(subject, seeds, looked_at, methods, hunting)
    plan, reference = compared(plan, subject, whole, hunting.reference)
    rehearse(plan, subject, seeds.batch([0]), reference)
    with store.held():
        store.begin(plan, _versions(), seeds, running.resume)
        _run(CampaignRun(plan, subject, seeds, store, reference), running)
    campaign = Campaign(store)
    _check_some_hunted(campaign)
    return campaign


def default_region(shape: tuple[int, ...]) -> str:
    """Return the region that is used if none is named: linf 0.1 for 28x28 grey images, 8/255 otherwise."""
    return "linf:0.1" if shape == (1, 28, 28) else "linf:8/255"


def _plan(model: Classifier, seeds: Examples, looked_at: int, methods: Sequence[Any], hunting: HuntSettings) -> Plan:
    region = build("region", hunting.region or default_region(seeds.shape))
    usual = "changed" if seeds.labels is None else "misclassified"
    named = hunting.oracle or (usual if hunting.target is None else f"becomes:{hunting.target}")
    described = [describe(build("hunter", adopted(method))) for method in methods]
    doubled = next((one["name"] for place, one in enumerate(described) if one in described[:place]), None)
    if doubled is not None:
        raise InvalidSetting(f"'{doubled}' is named twice with the same settings")
    return Plan(
        model={"name": model.name, "hash": model.identity(seeds.shape)},
        data={"name": seeds.name, "hash": seeds.fingerprint, "looked_at": looked_at},
        methods=tuple(described),
        region=describe(region),
        oracle=describe(build("oracle", named)),
        seeds=len(seeds),
        queries=hunting.queries,
        again=hunting.again,
        keep_going=not hunting.stop_at_first,
        quantised=hunting.quantised,
        seed=hunting.seed,
        shard=hunting.shard,
    )


def _run(work: CampaignRun, running: RunSettings) -> None:
    """Run what is not finished yet; running out of time is an ordinary end."""
    planned = shards(work.plan)
    finished = work.store.finished(planned)
    counts = Counts.total(_stored(work, shard) for shard in finished)
    total, until = work.plan.seeds * len(work.plan.methods), _deadline(running.seconds)

    def on_progress(now: Counts) -> None:
        if running.progress is not None:
            running.progress(Progress(counts.inputs + counts.failed, total, counts + now))
        if time.monotonic() > until:
            raise Unfinished

    done = set(finished)
    try:
        on_progress(Counts())
        with closing(
            running.engine.run(work, [shard for shard in planned if shard not in done], on_progress)
        ) as results:
            for found in results:
                counts += found
                on_progress(Counts())
    except Unfinished:
        return


def _stored(work: CampaignRun, shard: Any) -> Counts:
    label = work.plan.labels[shard.method]
    return tally(label, *work.store.read(shard, ["seed_id", "after", "queries"])).counts()


def _deadline(seconds: float | None) -> float:
    return float("inf") if seconds is None else time.monotonic() + seconds


def _check_some_hunted(campaign: Campaign) -> None:
    """Raise if the model failed on every seed: then it is the model's fault, not the seeds'."""
    records = [seed for one in campaign.tallies.values() for seed in one.seeds]
    if records and all(record.failed is not None for record in records):
        raise InvalidModel(f"no seed could be hunted; the first one: {records[0].failed}")


def _versions() -> dict[str, str]:
    return {
        "unnerve": unnerve.__version__,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "processor": platform.machine(),
    }
