"""What a ranking report says."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from unnerve.reports.parts.facts import ReportFacts
from unnerve.reports.ranking.page import RankingPage, ranking_page
from unnerve.studies.intervals.interval import Interval

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe
    from unnerve.studies.rank.ranking_proof import RankingProof

FACTS = ReportFacts("unnerve rank zoo:tiny made-up --evaluate", "2025-11-15 12:00", {"unnerve": "0.1.0"})


def page_of(proof: "RankingProof") -> RankingPage:
    return ranking_page(proof, FACTS)


def sentence(page: RankingPage) -> str:
    return "".join(phrase.text for phrase in page.verdict)


def with_figures(proof: "RankingProof", ranked: float, inc: Interval) -> "RankingProof":
    """Give the first score these figures, against 312 tries in random order."""
    first = next(iter(proof.scores.values()))
    changed = replace(first, f_measure=Interval(ranked, ranked - 0.5, ranked + 0.5), inc=inc)
    scores = proof.scores | {first.score: changed}
    return replace(proof, scores=scores, f_measure_random=Interval(312.0, 200.0, 400.0))


def test_the_verdict_of_an_order_that_helps(recipe: "Recipe") -> None:
    page = page_of(with_figures(recipe.proof(), 4.0, Interval(0.98718, 0.971, 0.992)))
    assert sentence(page) == (
        "Trying the most suspect images first (by pd), zoo:tiny was fooled after 4 tries on average "
        "instead of 312: 98.7 % fewer."
    )
    assert "97.1 to 99.2 %" in page.caveats[0]


def test_the_verdict_of_an_order_that_makes_no_difference(recipe: "Recipe") -> None:
    page = page_of(with_figures(recipe.proof(), 300.0, Interval(0.04, -0.3, 0.2)))
    assert "made no clear difference" in sentence(page)
    assert "fewer" not in sentence(page)
    assert "-30 to 20 %" in page.caveats[0]


def test_the_verdict_of_an_order_that_does_harm(recipe: "Recipe") -> None:
    page = page_of(with_figures(recipe.proof(), 624.0, Interval(-1.0, -2.0, -0.5)))
    assert sentence(page).endswith("was fooled after 624 tries on average instead of 312: 100 % more.")


def test_a_single_run_claims_no_average(recipe: "Recipe") -> None:
    page = page_of(recipe.but(repeats=1).proof())
    assert "on average" not in sentence(page)
    assert "proves little" in page.caveats[0]
    assert "without an interval" in page.bars_note
    assert page.tables[0].rows[0][1].more == ""


def test_censored_runs_are_lower_bounds(recipe: "Recipe") -> None:
    page = page_of(recipe.but(censored=3).proof())
    assert "at least" in sentence(page)
    assert "3 of 10 runs found no error and count as 10,000 tries." in page.caveats
    assert "Hatched: 3 of 10" in page.bars_note
    assert all(bar.censored == 3 for bar in page.bars)
    assert page.tables[0].rows[0][1].text.startswith("at least ")


def test_nothing_found_is_said_and_leaves_charts_empty(recipe: "Recipe") -> None:
    page = page_of(recipe.but(vulnerable=False, labels=False).proof())
    assert page.first is None
    assert sentence(page).startswith("None of 10,000 perturbed copies of 200 images changed the answer")
    assert (page.effs, page.bars, page.found) == ({}, (), None)
    assert page.stronger == "unnerve rank zoo:tiny made-up --evaluate --tries 500 --perturbation patch:size=4"
    assert {cell.text for row in page.tables[1].rows for cell in row[1:]} == {"-"}
    assert [card.figure for card in page.cards[1:6]] == ["0 %", "0 %", "none found", "-", "-"]


def test_vulnerable_inputs_that_no_run_met(recipe: "Recipe") -> None:
    page = page_of(recipe.but(censored=10).proof())
    assert "in 10 runs no order met an error (vulnerable: 67 of 200 images)" in sentence(page)
    assert page.caveats == ("Each run made 10,000 tries; more tries or a stronger change may find one.",)
    assert page.cards[3].figure == "none found"


def test_the_cards_hold_the_figures(recipe: "Recipe") -> None:
    proof = recipe.proof()
    figures = {card.name: card.figure for card in page_of(proof).cards}
    broken = (proof.eff > 0).mean()
    assert figures["of the images break (Eff > 0)"] == f"{100 * broken:.3g} %"
    assert figures["of all tries changed the answer (mean Eff)"] == f"{100 * proof.eff.mean():.3g} %"
    assert figures["of the errors fall to the runner-up class"] == "87.5 %"
    assert figures["for the whole proof"] == "3.46 s"


def test_data_without_labels_or_class_names(recipe: "Recipe") -> None:
    page = page_of(recipe.but(labels=False, classes=()).proof())
    assert page.cards[0].figure == "unknown"
    assert "labels" in page.cards[0].note
    shown = next(iter(page.inputs.values()))
    assert (shown.label, shown.wrong) == (None, False)
    assert shown.predicted.startswith("class ")


def test_inputs_that_are_no_images(recipe: "Recipe") -> None:
    page = page_of(recipe.but(shape=(40,)).proof())
    assert page.noun == "inputs"
    assert "no pictures" in page.strip_note
    assert all(shown.picture is None for shown in page.inputs.values())


@pytest.mark.parametrize("count", [1, 2, 3, 19, 20, 60, 61, 100, 101])
def test_few_candidates(recipe: "Recipe", count: int) -> None:
    page = page_of(recipe.but(count=count).proof())
    strip = page.strips["pd"]
    ranks = [*strip.first, *strip.spread]
    assert ranks == sorted(set(ranks))
    assert (ranks[0], ranks[-1]) == (0, count - 1)
    assert len(ranks) == min(count, 60)
    assert all(bool(series.bins) == (count > 100) for series in page.effs.values())


def test_pictures_keep_to_the_limit_whatever_the_number_of_scores(recipe: "Recipe") -> None:
    scores = tuple(f"score_{place * 40}" for place in range(12))
    proof = recipe.but(count=3000, scores=scores).proof()
    shuffles = np.random.default_rng(0)
    mixed = {name: replace(one, order=shuffles.permutation(3000)) for name, one in proof.scores.items()}
    page = page_of(replace(proof, scores=mixed))
    pictures = sum(shown.picture is not None for shown in page.inputs.values())
    assert 100 < pictures <= 300
    assert f"{pictures} of 3,000 pictures are embedded (at most 300)" in page.strip_note


def test_charts_of_many_candidates_show_a_stated_sample(recipe: "Recipe") -> None:
    page = page_of(recipe.but(count=4000).proof())
    assert len(page.effs["pd"].rows) == 1500
    assert "1,500 of the 4,000 images, drawn at random" in page.eff_note


def test_an_input_says_what_is_known_of_it(recipe: "Recipe") -> None:
    proof = recipe.proof()
    row = int(proof.scores["gini"].order[0])
    shown = page_of(proof).inputs[row]
    labels = proof.candidates.label_array()
    assert labels is not None
    assert (shown.id, shown.ranks["gini"]) == (str(row), 1)
    assert shown.label == recipe.classes[labels[row]]
    assert shown.wrong == (labels[row] != proof.scored.predicted[row])
    assert shown.runner_up == recipe.classes[proof.scored.runner_up[row]]
    assert shown.successes.startswith(f"{round(proof.eff[row] * 50)} of 50 tries")


def test_points_and_curve_follow_the_score(recipe: "Recipe") -> None:
    proof = recipe.proof()
    series = page_of(proof).effs["gini"]
    by_rank = [eff for _, eff in sorted(zip(series.ranks, series.effs, strict=True))]
    assert by_rank == proof.eff[proof.scores["gini"].order].tolist()
    assert series.curve[0][1] == pytest.approx(proof.scores["gini"].fit.a)
    assert f"r = {proof.scores['gini'].fit.r:.3g}" in series.formula


def test_vulnerable_inputs_are_found_between_ideal_and_none(recipe: "Recipe") -> None:
    proof = recipe.but(labels=False).proof()
    found = page_of(proof).found
    assert found is not None
    assert (found.sought, found.words) == ((proof.eff > 0).sum(), "images that break")
    for shares in found.shares.values():
        assert (shares[0], shares[-1]) == (0, 1)
        assert all(share <= best + 1e-12 for share, best in zip(shares, found.ideal, strict=True))
    middle = len(found.tried) // 2
    assert found.low[middle] <= found.tried[middle] / found.total <= found.high[middle]


def test_bars_are_sorted_and_end_with_random_orders(recipe: "Recipe") -> None:
    bars = page_of(recipe.proof()).bars
    assert [bar.name for bar in bars[-2:]] == ["random order", "random, Eff > 0"]
    means = [bar.interval.mean for bar in bars[:-2]]
    assert means == sorted(means)


def test_tables_hold_every_score_and_sort_by_numbers(recipe: "Recipe") -> None:
    proof = recipe.proof()
    costs, fits = page_of(proof).tables
    assert [row[0].text for row in costs.rows] == ["pd", "gini", "random order", "random, Eff > 0"]
    assert costs.rows[0][1].key == proof.scores["pd"].f_measure.mean
    assert fits.rows[1][2].key == proof.scores["gini"].fit.b
    assert {row[-1].text for row in fits.rows} == {"Best", "Worst"}
    assert all(len(row) == len(table.columns) for table in (costs, fits) for row in table.rows)


def test_names_are_printable_and_complete(recipe: "Recipe", hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[2]}{number}" for number in range(200))
    page = page_of(recipe.but(classes=(*hostile, "four"), names=names, model=hostile[2], data=hostile[0]).proof())
    assert page.model == "a␀b␛[31m\ufffdc"
    assert page.data == hostile[0]
    assert page.inputs[0].id == "a␀b␛[31m\ufffdc0"
    assert {shown.predicted for shown in page.inputs.values()} == {hostile[0], hostile[1], page.model, "four"}


def test_nothing_undefined_reaches_the_page(recipe: "Recipe") -> None:
    page = page_of(recipe.but(count=2, repeats=1).proof())
    assert "nan" not in repr(page)
    assert math.isfinite(sum(bar.interval.mean for bar in page.bars))


def test_how_it_was_made(recipe: "Recipe") -> None:
    proof = recipe.proof()
    page = page_of(proof)
    assert page.hashes[0][1] == proof.candidates.fingerprint
    assert "the perturbation patch (size = 2, colour = random): overwrite" in page.steps[1]
    words = {term.anchor for term in page.glossary}
    assert {card.term for card in page.cards} <= words
    assert (page.command, page.command_note) == (FACTS.command, "")
