"""Hunt: find inputs that fail, prove them, keep them in a folder that can be resumed."""

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch

import unnerve
from unnerve.campaign.plan import Plan, shards
from unnerve.campaign.run import Job, run
from unnerve.campaign.store import SCHEMA, Store
from unnerve.campaign.tally import Tally, tally
from unnerve.core.catalogue import build, describe
from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.core.model import Classifier
from unnerve.subjects.data import examples
from unnerve.subjects.models import model as taken

__all__ = ["Hunt", "Hunting", "default_region", "hunt", "hunted_seeds"]


@dataclass(frozen=True)
class Hunting:
    """How to hunt; everything here is part of the campaign's plan.

    Parameters
    ----------
    region : str or None
        ``linf:0.1``, ``l2:1.5``, ``l0:0.05``; by default linf 0.1 for 28x28 grey images and 8/255 otherwise.
    oracle : str or None
        ``misclassified`` with labels and ``changed`` without, by default.
    inputs : int
        Seeds: the first so many correctly classified inputs, or simply the first ones without labels.
    queries : int or None
        Most queries per seed.
    keep_going : bool
        Go on after a seed's first finding, for further kinds of errors.
    quantised : bool
        Findings must still fail after rounding to 8 bits.
    seed : int
        Decides everything random.
    shard : int
        Seeds that are run and stored together.
    """

    region: str | None = None
    oracle: str | None = None
    inputs: int = 100
    queries: int | None = None
    keep_going: bool = True
    quantised: bool = False
    seed: int = 0
    shard: int = 50


@dataclass(frozen=True, eq=False)
class Hunt:
    """A campaign of one method, as far as it is finished.

    Parameters
    ----------
    store : Store
    tally : Tally
    seconds : float
        Of this call; a resumed campaign took longer.
    """

    store: Store
    tally: Tally
    seconds: float

    @property
    def findings(self) -> pa.Table:
        """All findings as a table; ``to_pandas()`` makes a data frame of it."""
        tables = [table for _, table, _ in self.store.shards(shards(self.store.plan()))]
        return pa.concat_tables(table.replace_schema_metadata() for table in tables) if tables else SCHEMA.empty_table()

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        plan = self.store.plan()
        name, *settings = plan.region.values()
        region = f"{name}:{settings[0]:g}"
        return {
            "method": self.tally.method,
            "region": region,
            **self.tally.counts(),
            "seconds": self.seconds,
            "out": self.store.path,
        }


def hunt(
    model: Any,
    data: Any,
    method: str = "guided",
    out: str = "runs/hunt",
    hunting: Hunting | None = None,
    *,
    resume: bool = False,
    progress: Callable[[int, int, Tally], None] | None = None,
) -> Hunt:
    """Hunt for failing inputs and keep what is proven.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    method : str
        A hunter with its settings: ``pgd:steps=40``.
    out : str
        Folder of the campaign; anything that fsspec can reach.
    hunting : Hunting, optional
    resume : bool
        Go on with the campaign in ``out`` if there is one.
    progress : callable (shards done, shards in all, tally so far), optional

    Returns
    -------
    Hunt
    """
    start = time.perf_counter()
    hunting = hunting or Hunting()
    subject = taken(model)
    seeds = hunted_seeds(subject, examples(data), hunting.inputs)
    hunter = describe(build("hunter", method))
    plan = _plan(subject, seeds, hunter, hunting)
    store = Store(out)
    store.begin(plan, _versions(), resume)
    total, planned = Tally(hunter["name"]), shards(plan)
    for done, shard in enumerate(planned, start=1):
        if not store.finished(shard):
            store.write(shard, hunter["name"], run(Job(plan, shard, subject, seeds)))
        total += tally(hunter["name"], *store.read(shard))
        if progress is not None:
            progress(done, len(planned), total)
    return Hunt(store, total, time.perf_counter() - start)


def hunted_seeds(model: Classifier, data: Examples, count: int) -> Examples:
    """Return the first ``count`` correctly classified inputs, or simply the first ones without labels."""
    labels = data.label_array()
    if labels is None:
        return data.first(count)
    rows: list[int] = []
    for start in range(0, len(data), 1024):
        chosen = range(start, min(start + 1024, len(data)))
        right = model.observe(data.batch(chosen).inputs).predicted.numpy() == labels[start : chosen.stop]
        rows.extend(start + int(row) for row in np.flatnonzero(right))
        if len(rows) >= count:
            break
    if not rows:
        raise InvalidData(f"{data.name}: {model.name} classifies no input correctly, so there is nothing to hunt from")
    return data.take(range(len(data))).take(rows[:count])


def default_region(shape: tuple[int, ...]) -> str:
    """Return the region that is used if none is named: linf 0.1 for 28x28 grey images, 8/255 otherwise."""
    return "linf:0.1" if shape == (1, 28, 28) else "linf:8/255"


def _plan(model: Classifier, seeds: Examples, hunter: dict[str, Any], hunting: Hunting) -> Plan:
    region = build("region", hunting.region or default_region(seeds.shape))
    oracle = build("oracle", hunting.oracle or ("changed" if seeds.labels is None else "misclassified"))
    return Plan(
        model={"name": model.name, "hash": model.identity(seeds.shape)},
        data={"name": seeds.name, "hash": seeds.fingerprint},
        methods=(hunter,),
        region=describe(region),
        oracle=describe(oracle),
        seeds=len(seeds),
        queries=hunting.queries,
        keep_going=hunting.keep_going,
        quantised=hunting.quantised,
        seed=hunting.seed,
        shard=hunting.shard,
    )


def _versions() -> dict[str, str]:
    return {
        "unnerve": unnerve.__version__,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "processor": platform.machine(),
    }
