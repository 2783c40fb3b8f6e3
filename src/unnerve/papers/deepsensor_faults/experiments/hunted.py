"""Tables 4 and 5 of the second DeepSensor paper, III and IV of the first: errors of faulty networks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.naming.catalogue import build
from unnerve.papers._parts import digest
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Hits", "Hunted", "hits_of", "hunted", "hunting", "methods_of"]


@dataclass(frozen=True)
class Hits:
    """What one method found, seed by seed.

    Parameters
    ----------
    errors : tuple of N int
        Distinct inputs that count: wrong answers, or, of a polluted network, answers of the polluted class.
    kinds : tuple of N int
        Distinct wrong classes.
    queries : float
        Per seed, on average.
    """

    errors: tuple[int, ...]
    kinds: tuple[int, ...]
    queries: float

    @property
    def broken(self) -> np.ndarray:
        """Which seeds have an error that counts, (N,) of 0 and 1."""
        return (np.array(self.errors) > 0).astype(float)

    def share(self) -> Interval:
        """Return the share of the seeds that have an error, with its interval over seeds."""
        return proportion(int(self.broken.sum()), len(self.errors))


@dataclass(frozen=True)
class Hunted:
    """What each method found in one network.

    Parameters
    ----------
    plan : FaultPlan
    accuracy : float
        On the first 1,000 test inputs.
    rows : dict of str to Hits
        By method.
    """

    plan: FaultPlan
    accuracy: float
    rows: Mapping[str, Hits]

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of seeds that are broken, with their intervals over seeds."""
        return {name: one.share() for name, one in self.rows.items()}


def hunted(plan: FaultPlan, experiment: Experiment) -> Hunted:
    """Hunt with both papers' methods, their three rivals, an attack and noise, all with the same number of queries."""
    test = experiment.split("test")
    batch = test.batch(range(min(1000, len(test))))
    right = experiment.model.observe(batch.inputs).predicted.cpu() == torch.as_tensor(batch.labels)
    return Hunted(plan, float(right.float().mean()), hits_of(plan, experiment, methods_of(plan)))


def methods_of(plan: FaultPlan) -> dict[str, str]:
    """Return the methods that are compared, by their names in tables."""
    setup = plan.setup
    return {
        "sensitive": f"deepsensor:{setup.swarm}",
        # A particle costs twice as many queries here.
        "excitable": f"deepsensor-excitable:particles={max(2, setup.particles // 2)},iterations={setup.iterations}",
        "DeepXplore": "deepxplore",
        "DLFuzz": "dlfuzz",
        "DeepHunter": "deephunter",
        "PGD": "pgd",
        "random noise": "random",
    }


def hits_of(plan: FaultPlan, experiment: Experiment, methods: Mapping[str, str]) -> dict[str, Hits]:
    """Return what each method finds, by the names given to them; methods are not told which class is polluted."""
    polluted, wanted = plan.polluted_class, hunting(plan, experiment, list(methods.values()))
    out = str(experiment.folder / "campaigns" / f"{plan.experiment}-{digest([plan, methods])}")
    request = CampaignRequest(list(methods.values()), out, again=True)
    data = _other_classes(experiment.split("test"), polluted)
    campaign = run_campaign(experiment.model, data, request, wanted, RunSettings(resume=True))
    found = {}
    for name, label in zip(methods, campaign.plan.labels, strict=True):
        answers: dict[str, list[int]] = {seed.id: [] for seed in campaign.tallies[label].seeds}
        for table in campaign.found(label, ["seed_id", "after"]):
            for row in table.to_pylist():
                answers[row["seed_id"]].append(row["after"])
        counted = [[one for one in some if polluted is None or one == polluted] for some in answers.values()]
        found[name] = Hits(
            tuple(len(some) for some in counted),
            tuple(len(set(some)) for some in answers.values()),
            sum(seed.queries for seed in campaign.tallies[label].seeds) / len(answers),
        )
    return found


def hunting(plan: FaultPlan, experiment: Experiment, methods: Sequence[str]) -> HuntSettings:
    """Return how methods hunt; what they compare with, if they do, are the training data."""
    hunters = [build("hunter", method) for method in methods]
    comparing = any(getattr(one, fact, False) for one in hunters for fact in ("referenced", "profiled"))
    setup = experiment.setup
    return HuntSettings(
        region=setup.region,
        inputs=setup.inputs,
        queries=plan.queries,
        seed=setup.seed,
        shard=setup.inputs,
        reference=experiment.split("train") if comparing else None,
    )


def _other_classes(data: Examples, polluted: int | None) -> Examples:
    labels = data.label_array()
    assert labels is not None
    return data if polluted is None else data.take(np.flatnonzero(labels != polluted).tolist())
