"""The first screen of a ranking's report."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unnerve.reports.ranking.first import RankingFirst, coinciding, ranking_first
from unnerve.reports.ranking.strip import shown_inputs, strips
from unnerve.reports.ranking.target import Target, target

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe
    from unnerve.studies.rank.ranking_proof import RankingProof


def first(proof: "RankingProof") -> RankingFirst:
    shown = ranking_first(proof, shown_inputs(proof, strips(proof)))
    assert shown is not None
    return shown


def text(proof: "RankingProof") -> tuple[str, str]:
    shown = first(proof)
    return "".join(one.text for one in shown.headline), "".join(one.text for one in shown.why)


def with_eff(proof: "RankingProof", vulnerable: int) -> "RankingProof":
    """Make the most suspect inputs the vulnerable ones."""
    eff = np.zeros(len(proof.candidates))
    eff[proof.scores["pd"].order[:vulnerable]] = 0.5
    return replace(proof, eff=eff)


def test_a_tenth_of_the_inputs_is_compared_with_chance(recipe: "Recipe") -> None:
    headline, why = text(with_eff(recipe.but(labels=False).proof(), 30))
    assert headline == "Review these first: 20 of 200 images hold 20 of the 30 that break"
    # 20 * 30 / 200 = 3; the hypergeometric quantiles of 2.5 and 97.5 % are 0 and 6.
    assert why.startswith("In random order the same effort finds about 3 (95 % of orders: 0 to 6). Of the 12 below, 12")


def test_an_order_that_finds_no_more_than_chance_is_said_to(recipe: "Recipe") -> None:
    proof = with_eff(recipe.but(labels=False).proof(), 30)
    worst = replace(proof.scores["pd"], order=proof.scores["pd"].order[::-1])
    headline, _ = text(replace(proof, scores={"pd": worst}))
    assert headline == "No better than chance: 20 of 200 images hold 0 of the 30 that break"


def test_wrong_answers_are_looked_for_where_labels_show_enough(recipe: "Recipe") -> None:
    assert target(recipe.proof()).words == "wrong answers"
    assert target(recipe.but(labels=False).proof()).words == "images that break"


def test_the_most_suspect_tell_what_the_tries_did_to_them(recipe: "Recipe") -> None:
    shown = first(with_eff(recipe.but(labels=False).proof(), 10))
    assert [one.tried for one in shown.top[8:]] == [*["breaks, 25 of 50 tries"] * 2, *["holds in 50 tries"] * 2]
    assert [one.hit for one in shown.top] == [True] * 10 + [False] * 2
    assert shown.framed == "breaks"


def test_where_wrong_answers_are_looked_for_they_are_framed(recipe: "Recipe") -> None:
    shown = first(recipe.proof())
    assert shown.framed == "wrong answer"
    assert [one.hit for one in shown.top] == [one.shown.wrong for one in shown.top]


def test_the_first_screen_says_what_breaks_and_what_the_score_measures(recipe: "Recipe") -> None:
    assert first(recipe.proof()).breaking == (
        "An image breaks if one of 50 tries changes the answer. A try: the perturbation patch (size = 2, colour = "
        "random): overwrite one 2 x 2 block at a random place."
    )
    _, why = text(recipe.proof())
    assert why.endswith(
        "Ordered by pd (negated probability difference: how little the sorted class probabilities differ)."
    )


def test_scores_that_find_the_same_are_said_to_coincide(recipe: "Recipe") -> None:
    proof = recipe.proof()
    same = replace(proof, scores={name: replace(proof.scores["pd"], score=name) for name in ("pd", "gini")})
    nothing = Target(np.zeros(200, dtype=bool), "", False)
    assert coinciding(same, target(same)) == "Coinciding: pd = gini."
    assert coinciding(proof, nothing) == "Coinciding: pd = gini."
    assert coinciding(with_eff(proof, 7), Target(with_eff(proof, 7).eff > 0, "", False)) == ""


def test_the_next_command_goes_on_from_the_table(recipe: "Recipe") -> None:
    command = first(recipe.proof()).command
    assert command == "unnerve hunt zoo:tiny made-up --order ranking.csv --inputs 20 --out runs/suspects"
