"""One experiment behind KuK's Table 2 and the last columns of Table 4: inputs that testing tools make of a network."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unnerve.papers.kuk.printed import TITLES
from unnerve.papers.kuk.trial import Attacks, Trial
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.jackknife import jackknife
from unnerve.studies.intervals.proportion import proportion

__all__ = ["TESTED", "Cloud", "Made", "Tool", "ToolResult", "ToolTrial", "tool_trial"]

TESTED = {"lenet5": 500, "nin": 20, "resnet20": 60}
"""Seeds of each network, fewer the longer its passes take; the paper has 500. MobileNet would take hours."""


@dataclass(frozen=True)
class Tool:
    """A testing tool as the paper runs it.

    Parameters
    ----------
    title : str
        As Table 2 writes it.
    method, region : str
    queries : int
        For each seed: the paper's iterations over its seeds, and one for the seed itself.
    """

    title: str
    method: str
    region: str
    queries: int


@dataclass(frozen=True)
class ToolTrial:
    """One network, the tools that it is tested with, and attacks beside them.

    Parameters
    ----------
    trial : Trial
        Network, data, draws, dropout; its campaigns are the attacks, its inputs the seeds of tools.
    tools : tuple of Tool
    attacked : int
        Seeds of the attacks.
    measured : int
        Inputs of each tool whose confidence and uncertainty are measured, evenly over all it found.
    """

    trial: Trial
    tools: tuple[Tool, ...]
    attacked: int
    measured: int


def tool_trial(trial: Trial, seeds: int) -> ToolTrial:
    """Return how a network of Tables 3 and 4 is tested with DeepHunter and TensorFuzz."""
    # 5,000 iterations over 500 seeds, of 20 mutants by DeepHunter and of 100 by TensorFuzz, and a seed's own query.
    tools = (
        Tool("DH-KMNC", "deephunter:kmnc(1000)", "lineage:metamorphic", 1 + 10 * 20),
        Tool("DH-NC", "deephunter:nc(0.75)", "lineage:metamorphic", 1 + 10 * 20),
        # Differs: the release is not bound to a region, and KuK names none: any valid values.
        Tool("TensorFuzz", "tensorfuzz", "linf:1", 1 + 10 * 100),
    )
    linf, l2 = trial.campaigns[0].region, trial.campaigns[-1].region
    attacks = (
        Attacks(linf, ("bim:steps=10,searches=20",), ("smallest",)),
        Attacks(linf, ("fgsm:lengths=1000",), ("smallest",), first_only=True),
        Attacks(l2, ("deepfool",)),
    )
    return ToolTrial(replace(trial, inputs=seeds, campaigns=attacks), tools, min(seeds, 50), 300)


@dataclass(frozen=True)
class Cloud:
    """Confidence and uncertainty of N inputs, and by number the seed of each."""

    seeds: tuple[int, ...]
    pcs: tuple[float, ...]
    vro: tuple[float, ...]

    def mean(self, metric: str) -> Interval | None:
        """Return the mean of ``pcs`` or ``vro`` with its interval over seeds, each with all its inputs."""
        values, seeds = np.array(getattr(self, metric)), np.array(self.seeds)
        if not len(values):
            return None
        groups = [values[seeds == seed] for seed in dict.fromkeys(self.seeds)]
        return jackknife(len(groups), lambda rows: float(np.concatenate([groups[row] for row in rows]).mean()), 0, 1)


@dataclass(frozen=True)
class Made:
    """What a method made: inputs that fail, seeds that have any, seeds, queries for each seed."""

    found: int
    broken: int
    seeds: int
    queries: float

    @property
    def share(self) -> Interval:
        """Seeds broken, with the interval of their share."""
        return proportion(self.broken, self.seeds)


@dataclass(frozen=True)
class ToolResult:
    """What became of a trial.

    Parameters
    ----------
    plan : ToolTrial
    accuracy, rate : float
        Of the network, and of its dropout.
    benign : Cloud
    attacks : dict of str to Cloud
        The smallest change that each attack found.
    tools : dict of str to Made
        By title, as the paper runs them.
    clouds : dict of str to Cloud
        Of the same.
    equal : dict of str to Made
        Tools and an attack in one region with one budget, by method.
    """

    plan: ToolTrial
    accuracy: float
    rate: float
    benign: Cloud
    attacks: Mapping[str, Cloud]
    tools: Mapping[str, Made]
    clouds: Mapping[str, Cloud]
    equal: Mapping[str, Made]
    table = 2

    @property
    def title(self) -> str:
        """The network, as the paper writes it."""
        return TITLES[self.plan.trial.network]

    @property
    def seeds(self) -> int:
        """How many the tools began with."""
        return self.plan.trial.inputs

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of seeds broken and the means, with their intervals."""
        means = {
            f"{name}, {metric}": cloud.mean(metric) for name, cloud in self.clouds.items() for metric in ("pcs", "vro")
        }
        broken = {f"{name}, broken": one.share for name, one in self.tools.items()}
        return broken | {name: mean for name, mean in means.items() if mean is not None}
