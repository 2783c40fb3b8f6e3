from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.papers import _networks
from unnerve.papers.deepsensor import experiments, neuron_counts
from unnerve.papers.deepsensor.deepsensor import deepsensor
from unnerve.papers.deepsensor.experiment import Experiment, Setup
from unnerve.papers.deepsensor.experiments import EXPERIMENTS
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe
from unnerve.subjects.weights import shipped

METHODS = {
    "sensitive neurons": 20,
    "sensitive neurons, to the letter": 1,
    "excitable neurons": 30,
    "margin": 50,
    "random noise": 0,
    "PGD": 25,
    "tour (ours)": 80,
}


def row(kinds: int, inputs: int = 10) -> dict[str, Any]:
    return {
        "inputs": inputs,
        "errors": kinds,
        "error_categories": kinds,
        "seeds_broken": min(kinds, inputs),
        "errors_as_in_paper": 2 * kinds,
        "queries": 100 * inputs,
        "seconds": 1.5,
    }


def small_experiments(experiment: Experiment) -> dict[str, Any]:
    """Return all that any experiment returns, with round figures."""
    pairs = [[1, 9], [2, 8], [3, 7]]
    gains = {"nc": 0.2, "kmnc": 0.1}
    sweep = {name: [["0.1", row(5)], ["0.5", row(10)]] for name in ("sensitive", "excitable")}
    searches = ("PSO", "genetic", "differential evolution", "random")
    rows = {name: row(kinds) for name, kinds in METHODS.items()}
    rows |= {f"{s}, {o}": row(10) for s in searches for o in ("sensitive", "excitable", "margin")}
    return {
        "rows": rows,
        "accuracy": 0.99,
        "pairs": 3,
        "counts": {"sensitive": pairs, "excitable": [pair[::-1] for pair in pairs]},
        "plane": {"class 1": [[0.0, 1.0]], "class 9": [[2.0, 1.0]], "corner cases": [[1.0, 3.0]]},
        "silhouette": 0.5,
        "curves": {"sensitive": [0.0] + [0.3] * 20, "excitable": [0.0, *(x / 20 for x in range(20))]},
        "coverage": {
            "seeds": gains,
            "sensitive": gains,
            "excitable": {"nc": 0.16, "kmnc": 0.3},
            "random noise": dict.fromkeys(gains, 0.15),
        },
        "threshold": sweep,
        "enough": {name: rows[::-1] for name, rows in sweep.items()},
        "start": {name: [["fixed", row(1)], ["random", row(5)], ["edge", row(9)]] for name in sweep},
        "methods": ["PGD", "JSMA", "DeepFool", "DeepSensor"],
        "shared": [[10.0, 3.0, 4.0, 9.0], [3.0, 10.0, 5.0, 8.5], [4.0, 5.0, 10.0, 2.0], [9.0, 8.5, 2.0, 10.0]],
        "chance": 0.4,
    }


def test_tables_and_claims_from_finished_experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    for name in EXPERIMENTS:
        monkeypatch.setitem(experiments.EXPERIMENTS, name, small_experiments)
    for name in ("vgg16", "nin", "mobilenet", "resnet50"):  # their own tests count them
        monkeypatch.delitem(neuron_counts._PRINTED, name)
    result = deepsensor(tmp_path, tmp_path / "out")
    assert len(result.cells) == 1 + 9 + 6, "counts, three LeNets of three training seeds, and the rest once"
    held = [claim.held for claim in result.claims]
    # Sensitive yes, excitable no; more than noise, not more than PGD everywhere; the papers are not identical; one of
    # two curves settles; 3 of 4 criteria; lambda rises, epsilon falls; random beats fixed; any optimiser; one overlap
    # is too small.
    assert held == [True, False, True, False, False, False, True, True, False, True, True, False]
    assert result.claims[0].ours.startswith("8.0 against 2.0 with noise of the same size; more in 100% of 3 pairs")
    counts, errors = result.tables[:2]
    assert counts.rows[2] == ("lenet5", "deepxplore", "107,786 (107,786)", "268 (268)")
    for *_, parameters, neurons in counts.rows:
        assert neurons == "{0} ({0})".format(neurons.split()[0])
        assert parameters == "{0} ({0})".format(parameters.split()[0])
    assert errors.rows[0][0] == "lenet1, sensitive neurons"
    assert errors.rows[0][2:5] == ("1 \u00b1 0", "0.2 \u00b1 0 (0.937)", "2 \u00b1 0 (3.168)")
    assert result.tables[2].rows[1] == ("lenet5, kmnc", "0.1000", "+0.1000", "+0.3000", "+0.1500")
    assert result.tables[4].rows[0] == ("PGD", "10.0", "3.0", "4.0", "9.0")
    assert result.tables[5].rows[0][1] == "15 \u00b1 0"
    titles = [figure.title for figure in result.figures]
    assert titles[:2] == ["lenet5: sensitive neurons", "lenet5: excitable neurons"]
    noise, corner = result.figures[0].series
    assert noise.x == corner.x == ("0", "3", "6", "9"), "in threes: 1, 2, 3 to noise, 9, 8, 7 to corner cases"
    assert (noise.y, corner.y) == ((2, 1, 0, 0), (0, 0, 2, 1))
    assert titles[2:4] == ["t-SNE of neuron values, silhouette 0.50", "lenet5: fitness of the swarm's best"]
    assert len(titles) == 2 + 1 + 1 + 1 + 6
    assert result.skipped == ("resnet20: cifar10, weights/cifar10_resnet20.pt not in the data folder",)


def test_folders_without_anything_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold mnist, or cifar10 and weights, got neither"):
        deepsensor(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidData, match="no such folder"):
        deepsensor(tmp_path / "absent", tmp_path / "out")


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """Return a few seeds of MNIST and LeNet-5 with the weights that ship."""

    def split(self: Experiment, name: str) -> Examples:
        return examples("mnist5k").first(600)

    monkeypatch.setattr(Experiment, "split", split)
    monkeypatch.setattr(_networks, "trained", lambda *_: shipped("lenet5"))
    setup = Setup("lenet5", "mnist", "linf:0.2", inputs=6, particles=4, iterations=12, recipe=Recipe())
    return Experiment(setup, tmp_path, tmp_path)


def test_errors_are_counted(experiment: Experiment) -> None:
    rows = EXPERIMENTS["errors"](experiment)["rows"]
    assert list(rows) == list(METHODS)
    assert rows["tour (ours)"]["seeds_broken"] == 6
    assert rows["tour (ours)"]["error_categories"] > rows["PGD"]["error_categories"] > 0
    assert rows["sensitive neurons"]["queries"] == 6 * (1 + 1 + 4 * 12), "clean, watched, and every particle"


def test_corner_cases_excite_more_neurons(experiment: Experiment) -> None:
    seen = EXPERIMENTS["observation"](experiment)
    assert seen["pairs"] > 20
    for pairs in seen["counts"].values():
        assert len(pairs) == seen["pairs"]
    noisy, corner = (sum(pair[place] for pair in seen["counts"]["excitable"]) for place in (0, 1))
    assert corner > 2 * noisy
    assert set(seen["plane"]) == {"class 1", "class 9", "corner cases"}
    assert -1 <= seen["silhouette"] <= 1


def test_fitness_never_falls(experiment: Experiment) -> None:
    for curve in EXPERIMENTS["fitness"](experiment)["curves"].values():
        assert len(curve) == 13
        assert curve == sorted(curve)
        assert curve[-1] > 0


def test_coverage_is_gained(experiment: Experiment) -> None:
    gains = EXPERIMENTS["coverage"](experiment)["coverage"]
    assert list(gains) == ["seeds", "sensitive", "excitable", "random noise"]
    assert all(0 <= value <= 1 for by_key in gains.values() for value in by_key.values())
    assert gains["sensitive"]["kmnc"] > 0


def test_settings_and_searches_are_swept(experiment: Experiment) -> None:
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=2, iterations=2))
    swept = EXPERIMENTS["sweeps"](experiment)
    assert [value for value, _ in swept["threshold"]["sensitive"]] == ["0.1", "0.25", "0.5", "1.0", "1.5", "2.0"]
    assert [value for value, _ in swept["start"]["excitable"]] == ["fixed", "random", "edge"]
    rows = EXPERIMENTS["optimisers"](experiment)["rows"]
    assert len(rows) == 12
    assert "differential evolution, excitable" in rows


def test_top_neurons_overlap(experiment: Experiment) -> None:
    seen = EXPERIMENTS["overlap"](experiment)
    shared = seen["shared"]
    assert [shared[place][place] for place in range(4)] == [10.0] * 4
    assert all(shared[a][b] == shared[b][a] for a in range(4) for b in range(4))
    assert seen["chance"] == pytest.approx(100 / 248), "of 268 neurons 20 are outputs"
