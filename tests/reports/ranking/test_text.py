"""The story for a terminal."""

from typing import TYPE_CHECKING

from unnerve.reports.ranking.text import ranking_text

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe


def test_it_is_about_ten_lines_and_ends_with_the_report(recipe: "Recipe") -> None:
    lines = ranking_text(recipe.proof(), "out/ranking.html").splitlines()
    assert lines[0].startswith("Trying the most suspect images first (by pd), zoo:tiny was fooled after")
    assert lines[-1] == "Report: out/ranking.html"
    assert 9 <= len(lines) <= 13


def test_it_compares_every_order_with_random(recipe: "Recipe") -> None:
    text = ranking_text(recipe.proof(), None)
    assert all(f"\n  {name} " in text for name in ("order", "pd", "gini", "random order", "random, Eff > 0"))
    assert "Report:" not in text


def test_many_scores_are_cut_short_and_counted(recipe: "Recipe") -> None:
    text = ranking_text(recipe.but(scores=tuple(f"score_{place}" for place in range(9))).proof(), None)
    assert "and 3 more in the report" in text


def test_nothing_found_names_the_next_command(recipe: "Recipe") -> None:
    text = ranking_text(recipe.but(vulnerable=False, labels=False).proof(), None)
    assert text.startswith("None of 10,000 perturbed copies")
    assert "To look harder: unnerve rank zoo:tiny made-up --evaluate --tries 500" in text
    assert "accuracy" not in text
    assert "nan" not in text


def test_no_control_character_reaches_the_terminal(recipe: "Recipe", hostile: tuple[str, ...]) -> None:
    text = ranking_text(recipe.but(model=hostile[2], data=hostile[2]).proof(), f"a/{hostile[2]}.html")
    assert all(character == "\n" or character.isprintable() for character in text)


def test_single_candidate_and_run(recipe: "Recipe") -> None:
    text = ranking_text(recipe.but(count=1, repeats=1, scores=("pd",)).proof(), None)
    assert "1 image of made-up, 50 tries each (patch), 1 repeat, seed 3" in text
