"""The figures of the DeepSensor papers, from finished experiments."""

from collections.abc import Iterator

from unnerve.papers.deepsensor.experiments.coverage import Coverage
from unnerve.papers.deepsensor.experiments.fitness import Fitness
from unnerve.papers.deepsensor.experiments.observation import Observation
from unnerve.papers.deepsensor.experiments.sweeps import Sweeps
from unnerve.studies.reproduction import Figure, Series

__all__ = ["coverage_figure", "fitness_figure", "observation_figures", "plane_figure", "sweep_figures"]


def plane_figure(result: Observation) -> Figure:
    """Return Figure 1's t-SNE."""
    series = tuple(
        Series(name, tuple(x for x, _ in points), tuple(y for _, y in points), "points")
        for name, points in result.plane.items()
    )
    return Figure(f"t-SNE of neuron values, silhouette {result.silhouette:.2f}", "t-SNE 1", "t-SNE 2", series)


def observation_figures(result: Observation) -> Iterator[Figure]:
    """Yield what Figure 1 says of one pair, of all pairs: how many neurons react to noise, and to corner cases."""
    for kind, pairs in result.counts.items():
        largest = max(max(pair) for pair in pairs)
        width = 2 + largest // 8  # about eight bins
        bins = range(0, 1 + largest, width)
        series = []
        for name, side in (("noise of equal linf norm", 0), ("noise of equal L2 norm", 2), ("corner cases", -1)):
            inputs = [sum(start <= pair[side] < start + width for pair in pairs) for start in bins]
            series.append(Series(name, tuple(map(str, bins)), tuple(map(float, inputs)), "bars"))
        title = f"{result.plan.setup.network}: {kind} neurons"
        yield Figure(title, f"neurons that react (this many, up to {width - 1} more)", "inputs", tuple(series))


def fitness_figure(result: Fitness) -> Figure:
    """Return Figure 3 of the second paper."""
    series = tuple(
        Series(name, tuple(float(step) for step in range(len(curve))), curve) for name, curve in result.curves.items()
    )
    title = f"{result.plan.setup.network}: fitness of the swarm's best"
    return Figure(title, "iteration", "reacting neurons (share)", series)


def coverage_figure(result: Coverage) -> Figure:
    """Return Figure 3 of the first paper."""
    keys = tuple(key for key in result.seeds if key != "tknp")  # a number of patterns, not a share
    series = tuple(
        Series(name, keys, tuple(sum(gain[key]) / len(gain[key]) for key in keys), "bars")
        for name, gain in result.gains.items()
    )
    return Figure(f"{result.plan.setup.network}: coverage gained, L2 <= 1", "criterion", "gain (share)", series)


def sweep_figures(result: Sweeps) -> Iterator[Figure]:
    """Yield Figures 5, 10 and 11: a bar per value, because the scales of the two kinds of neurons differ."""
    sweeps = {
        "threshold (lambda)": result.threshold,
        "share that is enough (epsilon)": result.enough,
        "start of the swarm": result.start,
    }
    for words, sweep in sweeps.items():
        for name, steps in sweep.items():
            values = tuple(step.value for step in steps)
            bars = Series("failing picks", values, tuple(float(s.found.errors_as_in_paper) for s in steps), "bars")
            kinds = Series("categories", values, tuple(float(s.found.error_categories) for s in steps), "bars")
            yield Figure(f"{result.plan.setup.network}, {name} neurons: {words}", words, "count", (bars, kinds))
