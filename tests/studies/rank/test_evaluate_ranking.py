import json
import math

import numpy as np
import pytest
import torch

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.core.streams import Streams
from unnerve.measure.curves.f_measure import FMeasure, f_measure
from unnerve.studies.rank.evaluate_ranking import BASELINES, evaluate_ranking
from unnerve.studies.rank.ranking_proof import RankingProof
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

SMALL = RankingTrial(inputs=30, tries=20, repeats=4, seed=5)
HALF = 0.5


def left_column(x: np.ndarray) -> np.ndarray:
    """Answer 1 if the left column is bright, unless the right one is brighter than 0.9: then the answer is 0.

    Images are 2 by 3 pixels, so a 2x2 patch covers either the left column or the right one.
    """
    bright = np.where(x[:, 0, 0, 2] > 0.9, -4, 8 * (x[:, 0, :, 0].mean(axis=1) - HALF))
    return np.stack([-bright, bright, np.full(len(x), -9.0)], axis=1)


@pytest.fixture
def model() -> BlackBox:
    return BlackBox(left_column, "left column", outputs="logits")


@pytest.fixture
def data() -> Examples:
    """Return images of rising brightness on the left; every other one is locked on the right, and dark."""
    brightness = torch.linspace(0.02, 0.97, 40)
    images = torch.full((40, 1, 2, 3), 0.25)
    images[:, 0, :, 0] = brightness.unsqueeze(1)
    images[::2, 0, :, 0], images[::2, 0, :, 2] = 0.1, 1.0
    return tensors(images, (brightness > 0.6).long(), classes="abc", name="grey")


def successes(data: Examples, trial: RankingTrial, step: int) -> list[list[bool]]:
    """Say by hand which tries change the answer."""
    outcomes = []
    for name, image in zip(data.ids(), data.batch(range(len(data))).inputs, strict=True):
        locked, was_bright = bool(image[0, 0, 2] > 0.9), bool(image[0, 0, 0] > HALF)
        outcome = []
        for _, column, colour in Streams(trial.seed, [name]).uniform(step, 0, (trial.tries, 3))[0].tolist():
            crosses = (colour > HALF) != was_bright if column < HALF else was_bright and colour > 0.9
            outcome.append(crosses and not locked)
        outcomes.append(outcome)
    return outcomes


@pytest.fixture
def proof(model: BlackBox, data: Examples) -> RankingProof:
    return evaluate_ranking(model, data, ("pd", "max_probability"), trial=SMALL)


def test_candidates_are_drawn_at_random_by_the_seed(model: BlackBox, data: Examples, proof: RankingProof) -> None:
    order = Streams(5, ["candidates"]).permutations(0, 0, 40)[0, :30].tolist()
    assert proof.candidates.ids() == tuple(map(str, order))
    other = evaluate_ranking(model, data, ("pd",), trial=RankingTrial(30, 20, 1, seed=6))
    assert other.candidates.ids() != proof.candidates.ids()


def test_eff_is_what_it_is_by_hand(proof: RankingProof) -> None:
    expected = [sum(row) / 20 for row in successes(proof.candidates, SMALL, 0)]
    assert proof.eff.tolist() == pytest.approx(expected)
    assert 0 == min(expected) < max(expected)


def test_eff_approaches_its_expectation(model: BlackBox, data: Examples) -> None:
    # Half of the patches cover the left column, half of those lie on the other side: a quarter succeeds. A tenth of
    # the patches on the right lock a bright image, which then looks dark. What is locked and dark stays dark.
    proof = evaluate_ranking(model, data, ("pd",), trial=RankingTrial(inputs=40, tries=1000, repeats=1))
    for image, share in zip(proof.candidates.batch(range(40)).inputs, proof.eff, strict=True):
        locked, bright = bool(image[0, 0, 2] > 0.9), bool(image[0, 0, 0] > HALF)
        assert share == pytest.approx(0 if locked else 0.3 if bright else 0.25, abs=0.05)


def test_the_order_is_that_of_the_score(proof: RankingProof) -> None:
    images = proof.candidates.batch(range(30)).inputs
    distance = [HALF if image[0, 0, 2] > 0.9 else abs(float(image[0, 0, 0]) - HALF) for image in images]
    assert proof.scores["pd"].order.tolist() == np.argsort(distance, kind="stable").tolist()


def test_f_measures_are_what_they_are_by_hand(proof: RankingProof) -> None:
    shuffles = Streams(5, ["orders"])
    for repeat in range(1, 5):
        tries = successes(proof.candidates, SMALL, repeat)
        firsts = [row.index(True) if any(row) else None for row in tries]
        for one in proof.scores.values():
            assert one.runs[repeat - 1] == f_measure([firsts[row] for row in one.order], 20)
        order = shuffles.permutations(repeat, 0, 30)[0].tolist()
        assert proof.random[repeat - 1] == f_measure([firsts[row] for row in order], 20)
        effective = [row for row in order if proof.eff[row] > 0]
        assert proof.random_effective[repeat - 1] == f_measure([firsts[row] for row in effective], 20)
    assert proof.random_effective != proof.random


def test_figures_are_means_over_repeats(proof: RankingProof) -> None:
    one, summary = proof.scores["pd"], proof.summary()
    ranked = float(np.mean([run.generations for run in one.runs]))
    random = float(np.mean([run.generations for run in proof.random]))
    assert (summary["f_measure"], summary["f_measure_random"]) == pytest.approx((ranked, random))
    assert summary["inc"] == pytest.approx((random - ranked) / random)
    assert summary["f_measure_examples"] == pytest.approx(np.mean([run.examples for run in one.runs]))
    assert one.f_measure.low <= one.f_measure.mean <= one.f_measure.high


def test_accuracy_and_runner_up(proof: RankingProof) -> None:
    labels, predicted = proof.candidates.label_array(), proof.scored.predicted
    assert labels is not None
    assert proof.accuracy.share is not None
    assert proof.accuracy.share.mean == pytest.approx(float((labels == predicted).mean()))
    assert 0 < proof.accuracy.share.mean < 1
    assert proof.runner_up_share == 1, "with class 2 out of reach an adversary can only become the other class"


def test_apfd_of_vulnerable_and_of_misclassified_inputs(proof: RankingProof) -> None:
    order, labels = proof.scores["pd"].order, proof.candidates.label_array()
    assert labels is not None

    def area(faults: np.ndarray) -> float:
        places = np.flatnonzero(faults[order]) + 1
        return float(1 - places.sum() / (30 * len(places)) + 1 / 60)

    found, wrong = proof.scores["pd"].apfd, proof.scores["pd"].apfd_misclassified
    assert found is not None
    assert wrong is not None
    assert found.mean == pytest.approx(area(proof.eff > 0))
    assert wrong.mean == pytest.approx(area(labels != proof.scored.predicted))
    assert 0 < found.low < found.mean < found.high < 1


def test_the_summary_keeps_its_promised_keys(proof: RankingProof) -> None:
    summary = json.loads(json.dumps(proof.summary(), allow_nan=False))
    promised = {"f_measure", "f_measure_random", "inc", "apfd", "fit", "eff_mean"}
    assert list(summary["scores"]) == ["pd", "max_probability"]
    for figures in (summary, *summary["scores"].values()):
        assert promised <= set(figures)
        assert set(figures["fit"]) == {"a", "b", "r"}
        assert isinstance(figures["f_measure"], float)
    assert summary["score"] == "pd"
    assert summary["eff_mean"] == pytest.approx(float(proof.eff.mean()))
    assert (summary["model"], summary["data"], summary["inputs"]) == ("left column", "grey", 30)
    assert {figures["eff_d"] for figures in summary["scores"].values()} <= {"Best", "Worst", "-"}


def test_the_same_seed_gives_the_same_proof(model: BlackBox, data: Examples, proof: RankingProof) -> None:
    again = evaluate_ranking(model, data, ("pd", "max_probability"), trial=SMALL)
    first, second = proof.summary(), again.summary()
    first.pop("seconds")
    second.pop("seconds")
    assert first == second


def test_other_scores_do_not_change_a_scores_figures(model: BlackBox, data: Examples, proof: RankingProof) -> None:
    alone = evaluate_ranking(model, data, ("max_probability",), trial=SMALL)
    assert alone.scores["max_probability"].runs == proof.scores["max_probability"].runs
    assert alone.random == proof.random
    assert alone.scores["max_probability"].fit == proof.scores["max_probability"].fit


def test_random_can_be_asked_for_too(model: BlackBox, data: Examples) -> None:
    proof = evaluate_ranking(model, data, ("random",), trial=SMALL)
    assert list(proof.scores) == ["random"]
    assert sorted(proof.scores["random"].order) == list(range(30))


def test_progress_counts_candidates(model: BlackBox, data: Examples) -> None:
    steps: list[tuple[int, int]] = []
    evaluate_ranking(model, data, ("pd",), trial=SMALL, progress=lambda *step: steps.append(step))
    assert steps[-1] == (30, 30)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_without_any_adversary_everything_is_censored(data: Examples) -> None:
    steadfast = BlackBox(lambda x: np.tile([0.8, 0.2], (len(x), 1)), "steadfast")
    proof = evaluate_ranking(steadfast, tensors(data.batch(range(40)).inputs), ("pd",), trial=SMALL)
    assert proof.eff.tolist() == [0] * 30
    assert proof.scores["pd"].runs == (FMeasure(600, 30, censored=True),) * 4
    assert math.isnan(proof.runner_up_share)
    summary = json.loads(json.dumps(proof.summary(), allow_nan=False))
    assert (summary["censored"], summary["censored_random"]) == (4, 4)
    assert (summary["f_measure"], summary["f_measure_random"], summary["inc"]) == (600, 600, 0)
    nothing = (
        "apfd",
        "runner_up_share",
        "f_measure_random_effective",
        "inc_effective",
        "accuracy",
        "apfd_misclassified",
    )
    assert [summary[name] for name in nothing] == [None] * 6
    assert summary["fit"] == {"a": None, "b": None, "r": None}
    assert summary["eff_d"] == "-"


def test_an_unsure_model_that_never_changes_its_mind_has_no_adversaries(data: Examples) -> None:
    # All classes are equally probable: the answer is the first class, before and after.
    undecided = BlackBox(lambda x: np.full((len(x), 30), 1 / 30), "undecided")
    assert evaluate_ranking(undecided, data, ("pd",), trial=SMALL).eff.sum() == 0


def test_more_inputs_than_there_are(model: BlackBox, data: Examples) -> None:
    proof = evaluate_ranking(model, data, ("pd",), trial=RankingTrial(inputs=1000, tries=2, repeats=1))
    assert sorted(map(int, proof.candidates.ids())) == list(range(40))


def test_another_perturbation(model: BlackBox, data: Examples) -> None:
    proof = evaluate_ranking(model, data, ("pd",), trial=RankingTrial(30, 20, 1, "patch:colour=invert", 5))
    # Inverting moves every brightness on the left to the other side, and locks nothing: only the place decides.
    expected = []
    for name, image in zip(proof.candidates.ids(), proof.candidates.batch(range(30)).inputs, strict=True):
        columns = Streams(5, [name]).uniform(0, 0, (20, 3))[0, :, 1]
        expected.append(0.0 if image[0, 0, 2] > 0.9 else float((columns < HALF).float().mean()))
    assert proof.eff.tolist() == pytest.approx(expected)


def test_a_module_works_as_well(tiny_model: TorchModule, small_data: Examples) -> None:
    proof = evaluate_ranking(tiny_model, small_data, trial=RankingTrial(inputs=20, tries=5, repeats=2))
    assert tuple(proof.scores) == BASELINES
    assert proof.scores["pv"].order.tolist() == proof.scores["gini"].order.tolist()


def test_refusals(model: BlackBox, data: Examples) -> None:
    with pytest.raises(UnknownName, match="unknown score 'pdd'"):
        evaluate_ranking(model, data, ("pdd",), trial=SMALL)
    with pytest.raises(UnknownName, match="unknown perturbation 'path'; did you mean patch"):
        evaluate_ranking(model, data, ("pd",), trial=RankingTrial(5, 5, 1, "path"))
    with pytest.raises(InvalidData, match="patch needs images"):
        evaluate_ranking(lambda x: x[:, :2] - 0.5, torch.rand(10, 6), ("pd",), trial=RankingTrial(5, 5, 1))
    with pytest.raises(InvalidSetting, match=r"seed must be in \[0, 2\*\*64\)"):
        evaluate_ranking(model, data, ("pd",), trial=RankingTrial(5, 5, 1, seed=-1))


@pytest.mark.usefixtures("random_state_stays")
def test_leaves_the_global_random_state(model: BlackBox, data: Examples) -> None:
    evaluate_ranking(model, data, ("pd", "random"), trial=RankingTrial(5, 5, 1))


def test_is_a_public_function() -> None:
    assert unnerve.evaluate_ranking is evaluate_ranking
