"""Harel-Canada et al., "Is Neuron Coverage a Meaningful Measure for Testing Deep Neural Networks?", FSE 2020."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.rivals import QUERIES
from unnerve.papers.deepsensor.first_errors import CLASSES, FirstErrors, evenness, first_errors, naturalness
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.jackknife import jackknife
from unnerve.studies.intervals.nested import nested
from unnerve.studies.intervals.proportion import proportion

__all__ = ["CRITERIA", "EVERYTHING", "NOTHING", "Guidance", "guidance"]

NOTHING, EVERYTHING = "nothing", "everything"
CRITERIA = ("nc(0.75)", "kmnc", "nbc", "snac", "tknc")
_SEARCHES = {
    NOTHING: "deephunter:keep=nothing",
    EVERYTHING: "deephunter:keep=all",
    **{name: f"deephunter:{name}" for name in CRITERIA},
}
_HUNTS = 3
_MOST = CLASSES - 1

Figure = Callable[[FirstErrors, np.ndarray], float | None]
"""Of what was found from some seeds, which are given by their numbers; None where there is none."""


@dataclass(frozen=True)
class Guidance:
    """What DeepHunter finds with and without coverage.

    Parameters
    ----------
    plan : Plan
    rows : dict of str to tuple of FirstErrors
        By what joins the queue, hunt by hunt: all are from the same seeds, each has another random seed.
    """

    plan: Plan
    rows: Mapping[str, tuple[FirstErrors, ...]]

    # All intervals are over seeds and hunts, both. What the seeds of a hunt share, a queue and a budget, another random
    # seed changes; the seeds are the same in all hunts, which do not make their choice less of a chance.

    def broken(self, name: str) -> Interval | None:
        """Return the share of seeds that are broken."""
        return nested([proportion(one.broken, len(one.classes)) for one in self.rows[name]], 0, 1)

    def kinds(self, name: str) -> Interval | None:
        """Return the kinds of errors per seed."""
        return nested([count_mean(one.kinds) for one in self.rows[name]], 0, _MOST)

    def more_kinds(self, name: str) -> Interval | None:
        """Return how many more kinds of errors per seed there are than where nothing joins the queue."""
        pairs = zip(self.rows[name], self.rows[NOTHING], strict=True)
        return nested([count_difference(own.kinds, other.kinds) for own, other in pairs], -_MOST, _MOST)

    # Naturalness and evenness are of all inputs of a hunt together. Those of one seed are alike, so that they are no
    # sample; and evenness is no mean of anything. So whole seeds are left out, from both searches at a time.

    def figure(self, name: str, of: Figure) -> Interval | None:
        """Return naturalness or evenness."""
        return nested([jackknife(len(one.classes), partial(of, one), 0, 1) for one in self.rows[name]], 0, 1)

    def lead(self, name: str, of: Figure) -> Interval | None:
        """Return how much higher it is than where nothing joins the queue, in ``[-1, 1]``."""
        pairs = zip(self.rows[name], self.rows[NOTHING], strict=True)
        return nested([_lead(own, other, of) for own, other in pairs], -1, 1)

    def spreads(self) -> dict[str, Interval]:
        """Return all four figures of every search."""
        found: dict[str, Interval | None] = {}
        for name in self.rows:
            found |= {f"{name}, broken": self.broken(name), f"{name}, kinds per seed": self.kinds(name)}
            found |= {f"{name}, naturalness": self.figure(name, naturalness)}
            found |= {f"{name}, evenness": self.figure(name, evenness)}
        return {name: value for name, value in found.items() if value is not None}


def _lead(own: FirstErrors, other: FirstErrors, of: Figure) -> Interval | None:
    def ahead(seeds: np.ndarray) -> float | None:
        first, second = of(own, seeds), of(other, seeds)
        return None if first is None or second is None else first - second

    return jackknife(len(own.classes), ahead, -1, 1)


def guidance(experiment: Experiment) -> Guidance:
    """Hunt with every criterion and with none, from the same seeds with as many queries."""
    setup = experiment.setup
    # By the same recipe: another architecture shall be all that is different.
    other = replace(experiment, setup=replace(setup, network="lenet4")).model
    hunts = []
    for number in range(_HUNTS):
        again = replace(experiment, setup=replace(setup, seed=setup.seed + number))
        campaign = again.campaign("guidance", _SEARCHES, queries=QUERIES)
        hunts.append([first_errors(campaign, label, other) for label in campaign.plan.labels])
    return Guidance(Plan("guidance", setup), dict(zip(_SEARCHES, zip(*hunts, strict=True), strict=True)))
