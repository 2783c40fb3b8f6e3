"""The experiments of the DeepSensor papers as parts of a reproduction, and their results by kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from unnerve.papers._parts import Part
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.coverage import Coverage, coverage
from unnerve.papers.deepsensor.experiments.errors import Errors, errors
from unnerve.papers.deepsensor.experiments.fitness import Fitness, fitness
from unnerve.papers.deepsensor.experiments.guidance import Guidance, guidance
from unnerve.papers.deepsensor.experiments.observation import Observation, observation
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers, optimisers
from unnerve.papers.deepsensor.experiments.overlap import Overlap, overlap
from unnerve.papers.deepsensor.experiments.regions import Regions, regions
from unnerve.papers.deepsensor.experiments.rival_inputs import RivalInputs, rival_inputs
from unnerve.papers.deepsensor.experiments.rivals import Rivals, rivals
from unnerve.papers.deepsensor.experiments.sweeps import Sweeps, sweeps
from unnerve.papers.deepsensor.experiments.times import Times, times
from unnerve.papers.deepsensor.experiments.untrained_times import UntrainedTimes, untrained_times
from unnerve.papers.deepsensor.neuron_counts import NeuronCounts
from unnerve.papers.deepsensor.setup import Plan

__all__ = ["EXPERIMENTS", "Results", "part_of"]

Result = TypeVar("Result")

EXPERIMENTS: dict[str, tuple[type[object], Callable[[Experiment], object]]] = {
    "errors": (Errors, errors),
    "observation": (Observation, observation),
    "fitness": (Fitness, fitness),
    "coverage": (Coverage, coverage),
    "sweeps": (Sweeps, sweeps),
    "optimisers": (Optimisers, optimisers),
    "overlap": (Overlap, overlap),
    "regions": (Regions, regions),
    "rivals": (Rivals, rivals),
    "rival_inputs": (RivalInputs, rival_inputs),
    "times": (Times, times),
    "untrained_times": (UntrainedTimes, untrained_times),
    "guidance": (Guidance, guidance),
}
"""By name: what an experiment returns, and the experiment."""
# Errors make Table 3 of the second paper and Table II of the first.
_TABLES = {"errors": (2, 3), "rivals": (2, 3), "times": (6,), "untrained_times": (6,)}
_LONG = ("untrained_times",)
"""Run only if they are asked for."""


@dataclass(frozen=True)
class Results:
    """All results by kind, each in the order in which they were run."""

    counts: tuple[NeuronCounts, ...]
    errors: tuple[Errors, ...]
    observation: tuple[Observation, ...]
    fitness: tuple[Fitness, ...]
    coverage: tuple[Coverage, ...]
    sweeps: tuple[Sweeps, ...]
    optimisers: tuple[Optimisers, ...]
    overlap: tuple[Overlap, ...]
    regions: tuple[Regions, ...]
    rivals: tuple[Rivals, ...] = ()
    rival_inputs: tuple[RivalInputs, ...] = ()
    times: tuple[Times, ...] = ()
    guidance: tuple[Guidance, ...] = ()
    untrained_times: tuple[UntrainedTimes, ...] = ()

    @classmethod
    def of(cls, results: Sequence[object]) -> "Results":
        """Sort results by their kinds."""
        return cls(
            _only(NeuronCounts, results),
            _only(Errors, results),
            _only(Observation, results),
            _only(Fitness, results),
            _only(Coverage, results),
            _only(Sweeps, results),
            _only(Optimisers, results),
            _only(Overlap, results),
            _only(Regions, results),
            _only(Rivals, results),
            _only(RivalInputs, results),
            _only(Times, results),
            _only(Guidance, results),
            _only(UntrainedTimes, results),
        )


def part_of(plan: Plan, data: Path, folder: Path) -> Part[object]:
    """Return one of the experiments ``EXPERIMENTS`` as a part."""
    setup = plan.setup
    number = 0 if setup.recipe is None else setup.recipe.seed
    kind, run = EXPERIMENTS[plan.experiment]
    name = f"{plan.experiment}-{setup.network}-{number}"
    tables = _TABLES.get(plan.experiment, ())
    work = Experiment(setup, data, folder)
    return Part(name, plan, kind, lambda: run(work), tables, only_asked=plan.experiment in _LONG)


def _only(kind: type[Result], results: Sequence[object]) -> tuple[Result, ...]:
    return tuple(one for one in results if isinstance(one, kind))
