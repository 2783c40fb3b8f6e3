"""Table VI of the first DeepSensor paper for networks of which there are no weights: time needs none."""

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.core.data.examples import Examples
from unnerve.core.model import Instrumented
from unnerve.core.streams import Streams
from unnerve.papers.deepsensor.experiment import Experiment, compares
from unnerve.papers.deepsensor.experiments.times import published
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.cover.cover import watched
from unnerve.studies.hunt.hunt import CampaignRequest, HuntSettings, RunSettings, run_campaign
from unnerve.studies.intervals.interval import Interval
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model

__all__ = ["UntrainedTimes", "untrained_times"]

_SHAPES = {"vgg16": (3, 32, 32), "resnet50": (3, 224, 224)}
_PROFILED = 32
"""Inputs that methods compare with: they are looked at once, whatever a hunt does."""


@dataclass(frozen=True)
class UntrainedTimes:
    """Processor seconds of every thread for 100 seeds, and queries for each, to the end of 20 iterations.

    Parameters
    ----------
    plan : Plan
    seconds, spent : dict of str to float
        By method.
    """

    plan: Plan
    seconds: Mapping[str, float]
    spent: Mapping[str, float]

    def spreads(self) -> dict[str, Interval]:
        """Return no figure: another machine has other seconds, however right both are."""
        return {}


def untrained_times(experiment: Experiment) -> UntrainedTimes:
    """Hunt from noise with each method, in a network with random weights, for answers that change."""
    setup = experiment.setup
    network = watched(model(f"zoo:{setup.network}?random"))
    ids = [str(row) for row in range(_PROFILED)]
    noise = tensors(Streams(setup.seed, ids).uniform(0, 0, _SHAPES[setup.network]))
    seconds, spent = {}, {}
    for name, one in published(setup.iterations).items():
        # A hundred particles of one seed fill a pass; what a fuzzer mutates of one seed would not.
        inputs = 1 if name.endswith("neurons") else setup.inputs
        seconds[name], spent[name] = _timed(network, noise, *one, inputs)
    return UntrainedTimes(Plan("untrained_times", setup), seconds, spent)


def _timed(
    network: Instrumented, noise: Examples, method: str, region: str, queries: int | None, inputs: int
) -> tuple[float, float]:
    """Return the seconds, scaled to 100 seeds, and the queries of a seed."""
    known = noise if compares([method]) else None
    wanted = HuntSettings(region=region, inputs=inputs, queries=queries, oracle="changed", reference=known)
    with tempfile.TemporaryDirectory(prefix="times-") as folder:
        start = time.process_time()
        request = CampaignRequest([method], f"{folder}/times", again=queries is not None)
        (row,) = run_campaign(network, noise, request, wanted, RunSettings()).rows()
        taken = time.process_time() - start
    return round(100 * taken / inputs, 1), row["queries"] / inputs
