from collections.abc import Callable
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData
from unnerve.papers.deepsensor import neuron_counts, parts
from unnerve.papers.deepsensor.deepsensor import deepsensor
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.coverage import Coverage
from unnerve.papers.deepsensor.experiments.errors import Errors
from unnerve.papers.deepsensor.experiments.fitness import Fitness
from unnerve.papers.deepsensor.experiments.guidance import CRITERIA, EVERYTHING, NOTHING, Guidance
from unnerve.papers.deepsensor.experiments.observation import Observation
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.overlap import Overlap
from unnerve.papers.deepsensor.experiments.regions import METHODS as METHODS_IN
from unnerve.papers.deepsensor.experiments.regions import RADII, Reached, Regions
from unnerve.papers.deepsensor.experiments.rival_inputs import RivalInputs
from unnerve.papers.deepsensor.experiments.rivals import Rivals
from unnerve.papers.deepsensor.experiments.sweeps import Sweeps, Swept
from unnerve.papers.deepsensor.experiments.times import Times
from unnerve.papers.deepsensor.first_errors import FirstErrors
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Plan

METHODS = {
    "sensitive neurons": 20,
    "sensitive neurons, to the letter": 1,
    "excitable neurons": 30,
    "margin": 50,
    "random noise": 0,
    "PGD": 25,
    "tour (ours)": 80,
}
SEARCHES = ("PSO", "genetic", "differential evolution", "ant colony", "random", "PSO from the edge")
BOTH = ("sensitive", "excitable")


def found(kinds: int, inputs: int = 10) -> Found:
    return Found(
        method="some",
        region="linf:0.2",
        inputs=inputs,
        errors=kinds,
        error_categories=kinds,
        seeds_broken=min(kinds, inputs),
        errors_as_in_paper=2 * kinds,
        queries=100 * inputs,
        failed=0,
        ci95={},
        seconds=1.5,
        out="somewhere",
        complete=True,
        failing=(2 * kinds // inputs,) * inputs,
        kinds=(kinds // inputs,) * inputs,
    )


def small_errors(experiment: Experiment) -> Errors:
    return Errors(Plan("errors", experiment.setup), {name: found(kinds) for name, kinds in METHODS.items()}, 0.99)


def small_optimisers(experiment: Experiment) -> Optimisers:
    # A hundred seeds: of ten even equal counts leave open whether one finds a fifth fewer.
    rows = {f"{search}, {objective}": found(100, 100) for search in SEARCHES for objective in (*BOTH, "margin")}
    return Optimisers(Plan("optimisers", experiment.setup), rows)


def small_observation(experiment: Experiment) -> Observation:
    pairs = ((1, 1, 3, 9), (2, 2, 4, 8), (3, 3, 4, 7))
    return Observation(
        plan=Plan("observation", experiment.setup),
        pairs=3,
        counts={"sensitive": pairs, "excitable": tuple(row[::-1] for row in pairs)},
        lengths=(2.4, 4.1, 3.7, 3.7),
        plane={"class 1": ((0.0, 1.0),), "class 9": ((2.0, 1.0),), "corner cases": ((1.0, 3.0),)},
        silhouette=0.5,
    )


def small_fitness(experiment: Experiment) -> Fitness:
    curves = {"sensitive": (0.0, *[0.3] * 20), "excitable": (0.0, *(x / 20 for x in range(20)))}
    return Fitness(Plan("fitness", experiment.setup), curves)


def small_coverage(experiment: Experiment) -> Coverage:
    seeds = {"nc": (0.5, 0.5), "kmnc": (0.1, 0.1)}
    gains = {
        "sensitive": {"nc": (0.2, 0.211), "kmnc": (0.1, 0.2)},
        "excitable": {"nc": (0.16, 0.1701), "kmnc": (0.3, 0.311)},
        "random noise": {"nc": (0.15, 0.16), "kmnc": (0.15, 0.16)},
    }
    return Coverage(Plan("coverage", experiment.setup), seeds, gains)


def small_regions(experiment: Experiment) -> Regions:
    row = Reached((5,) * 10, (3,) * 10, (300,) * 10, (4,) * 10, 2.5, 1000)
    return Regions(
        Plan("regions", experiment.setup), {f"{name}, {radius:g}": row for name in METHODS_IN for radius in RADII}
    )


def small_sweeps(experiment: Experiment) -> Sweeps:
    rising = (Swept("0.1", found(5)), Swept("0.5", found(10)))
    starts = (Swept("fixed", found(1)), Swept("random", found(5)), Swept("edge", found(9)))
    return Sweeps(
        plan=Plan("sweeps", experiment.setup),
        threshold=dict.fromkeys(BOTH, rising),
        enough=dict.fromkeys(BOTH, rising[::-1]),
        start=dict.fromkeys(BOTH, starts),
    )


def small_overlap(experiment: Experiment) -> Overlap:
    return Overlap(
        plan=Plan("overlap", experiment.setup),
        methods=("PGD", "JSMA", "DeepFool", "DeepSensor"),
        shared=((10.0, 3.0, 4.0, 9.0), (3.0, 10.0, 5.0, 8.5), (4.0, 5.0, 10.0, 2.0), (9.0, 8.5, 2.0, 10.0)),
        chance=0.4,
        each=((10,) * 40, (10,) * 40, (2,) * 40, (10,) * 40),
    )


def small_rivals(experiment: Experiment) -> Rivals:
    equal = {"sensitive neurons": 40, "excitable neurons": 50, "DeepXplore": 0, "DLFuzz": 0, "DeepHunter": 0}
    published = {**equal, "DLFuzz": 90, "DeepHunter": 90}
    plan = Plan("rivals", experiment.setup)
    return Rivals(plan, *({name: found(kinds) for name, kinds in rows.items()} for rows in (equal, published)))


def small_rival_inputs(experiment: Experiment) -> RivalInputs:
    more, less = {"nc": (0.2, 0.211)}, {"nc": (0.1, 0.11)}
    makers = {"sensitive": more, "excitable": more, "DeepXplore": less, "DLFuzz": less, "DeepHunter": less}
    return RivalInputs(
        Plan("rival_inputs", experiment.setup),
        {"nc": (0.5, 0.5)},
        {**makers, "random noise": less},
        {"class 1": ((0.0, 1.0),), "DeepHunter": ((2.0, 1.0),)},
        {"DeepHunter": (-0.5, -0.49) * 20, "DeepSensor": (0.5, 0.51) * 20},
    )


def small_times(experiment: Experiment) -> Times:
    seconds = {"sensitive neurons": 2.0, "DeepXplore": 1.0, "DLFuzz": 1.0, "DeepHunter": 4.0}
    timed = {name: (value, value + 0.01, value - 0.01) for name, value in seconds.items()}
    return Times(Plan("times", experiment.setup), timed, {**timed, "PGD": (3.0, 3.1)}, dict.fromkeys(seconds, 41.0))


def small_guidance(experiment: Experiment) -> Guidance:
    less, more = (FirstErrors((kinds,) * 40, (seen,) * 40) for kinds, seen in (((1,), (True,)), ((1, 2), (False,) * 2)))
    rows = {NOTHING: (less,) * 3, EVERYTHING: (less,) * 3, **dict.fromkeys(CRITERIA, (more,) * 3)}
    return Guidance(Plan("guidance", experiment.setup), rows)


SMALL: dict[str, Callable[[Experiment], object]] = {
    "errors": small_errors,
    "observation": small_observation,
    "fitness": small_fitness,
    "coverage": small_coverage,
    "sweeps": small_sweeps,
    "optimisers": small_optimisers,
    "overlap": small_overlap,
    "regions": small_regions,
    "rivals": small_rivals,
    "rival_inputs": small_rival_inputs,
    "times": small_times,
    "guidance": small_guidance,
}


# Sensitive neurons yes, excitable no; more than noise, as many as PGD with one kind; not identical; no region has
# both printed figures; one of two curves settles; coverage; lambda rises, epsilon falls; random beats fixed; any
# optimiser; two of three overlaps are large enough. More than all rivals in one region on three of four networks, less
# than two of three as they were published; more coverage; apart where DeepHunter is not, on one of three; faster
# than one of three. With coverage more errors, none of them natural, in two classes instead of one.
EXPECTED = [
    "held",
    "not held",
    "held",
    "cannot be decided",
    "not held",
    "not held",
    "not held",
    "held",
    "held",
    "not held",
    "held",
    "held",
    "partly",
    "cannot be decided",
    "not held",
    "held",
    "cannot be decided",
    "not held",
    "held",
    "not held",
    "held",
]


def test_tables_and_claims_from_finished_experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    for name, run in SMALL.items():
        monkeypatch.setitem(parts.EXPERIMENTS, name, (parts.EXPERIMENTS[name][0], run))
    for name in ("vgg16", "nin", "mobilenet", "resnet50"):  # their own tests count them
        monkeypatch.delitem(neuron_counts._PRINTED, name)
    result = deepsensor(tmp_path, tmp_path / "out").finished()
    assert len(result.cells) == 1 + 15 + 7 + 3 + 3, "counts, three LeNets of five training seeds, rivals, and the rest"
    verdicts = {claim.claim.split(" (")[0]: claim.verdict for claim in result.claims}
    assert [claim.verdict for claim in result.claims] == EXPECTED, list(verdicts.items())
    assert result.claims[0].ours.startswith("8.0 (L2 3.7) against noise of equal linf 2.0 (L2 2.4), signs 2.0 (L2 4.1)")
    # Several tables share a number: the first of them.
    tables = {table.title.partition(":")[0].partition(",")[0]: table for table in reversed(result.tables)}
    for *_, parameters, neurons in tables["Table 1"].rows:
        assert neurons == "{0} ({0})".format(neurons.split()[0])
        assert parameters == "{0} ({0})".format(parameters.split()[0])
    errors = tables["Table 3 / II"]
    assert errors.numbers == (3, 2)
    assert errors.rows[0][:3] == ("lenet1, sensitive neurons", "5", "1 (0.69 to 1)"), "equal seeds are no certainty"
    assert errors.rows[0][3].startswith("0.2 (")
    assert errors.rows[0][3].endswith("[printed 0.937]")
    assert errors.rows[0][4].endswith("[printed 3.168]")
    assert tables["Fig. 1"].rows[0][2] == "2.0 (L2 2.4)"
    titles = [figure.title for figure in result.figures]
    assert titles[:2] == ["lenet5: sensitive neurons", "lenet5: excitable neurons"]
    noise, same, corner = result.figures[0].series
    assert noise.x == corner.x == ("0", "3", "6", "9"), "in threes: 1, 2, 3 to noise, 9, 8, 7 to corner cases"
    assert (noise.y, same.y, corner.y) == ((2, 1, 0, 0), (0, 3, 0, 0), (0, 0, 2, 1))
    assert titles[2:4] == ["t-SNE of neuron values, silhouette 0.50", "lenet5: fitness of the swarm's best"]
    assert len(titles) == 2 + 1 + 1 + 1 + 6 + 2
    rows = {row[0]: row for table in result.tables if "with rivals, each" in table.title for row in table.rows}
    assert rows["lenet5, DLFuzz"][4].endswith("[printed 1.509]")
    assert rows["lenet5, sensitive neurons"][3].endswith("[printed 18.3]"), "18,349 of 1,000 seeds"
    seconds = {row[0]: row for row in tables["Table VI"].rows}
    assert seconds["lenet5, DeepXplore"][3] == "222.88"
    assert seconds["lenet5, PGD"][1] == "-"
    guided = {row[0]: row for table in result.tables if "without coverage" in table.title for row in table.rows}
    assert guided["lenet5, nothing"][1].endswith(": 40, 40, 40 of 40")
    assert guided["lenet5, kmnc"][2].startswith("2 (")
    assert ", difference +1.000 (" in guided["lenet5, kmnc"][2]
    assert result.skipped == ("resnet20: cifar10, weights/cifar10_resnet20.pt not in the data folder",)


def test_folders_without_anything_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold mnist, or cifar10 and weights, got neither"):
        deepsensor(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidData, match="no such folder"):
        deepsensor(tmp_path / "absent", tmp_path / "out")
