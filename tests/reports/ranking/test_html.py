"""The report of a ranking proof as an HTML file."""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.reports.markup import parsed, payload
from unnerve.reports.parts.plotly import library
from unnerve.reports.ranking.html import ranking_html

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe

COMMAND = "unnerve rank 'my model.py:net' made-up --evaluate"
DATE = datetime(2025, 11, 15, 12, 30)


def test_the_page_is_complete_and_stands_alone(recipe: "Recipe") -> None:
    html = ranking_html(recipe.proof(), COMMAND, date=DATE)
    tags = parsed(html)
    assert html.count(library()) == 1
    assert len(html.encode()) < 10_000_000
    sources = [attrs.get("src") or "data:" for _, attrs in tags.tags]
    assert all(source.startswith("data:") for source in sources)
    assert not {"iframe", "object"} & {tag for tag, _ in tags.tags}
    assert all((attrs.get("href") or "#")[0] == "#" or tag == "link" for tag, attrs in tags.tags)
    assert COMMAND in "".join(tags.text)
    assert any("2025-11-15 12:30" in text for text in tags.text)


def test_the_policy_lets_only_our_scripts_run(recipe: "Recipe") -> None:
    policy = next(
        attrs["content"]
        for tag, attrs in parsed(ranking_html(recipe.proof(), COMMAND)).tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert policy.count("'sha256-") == 3
    assert "http" not in policy


def test_hostile_names_are_text(recipe: "Recipe", hostile: tuple[str, ...]) -> None:
    names = tuple(f"{hostile[1]}{number}" for number in range(200))
    made = recipe.but(classes=(*hostile, "x" * 500), names=names, model=hostile[0], data=hostile[1])
    html = ranking_html(made.proof(), f"unnerve rank {hostile[0]} {hostile[2]}")
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    assert payload(html)["inputs"]["0"]["id"] == names[0]
    outside_library = html.replace(library(), "")
    assert "\x00" not in outside_library
    assert "\x1b" not in outside_library
    assert outside_library.lower().count("<script") == outside_library.lower().count("</script>") == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"vulnerable": False},
        {"censored": 3},
        {"labels": False, "classes": ()},
        {"shape": (40,)},
        {"shape": (3, 100, 80), "count": 30},
        {"count": 1, "repeats": 1, "scores": ("pd",)},
        {"count": 20, "helps": False},
    ],
)
def test_every_kind_of_proof_has_a_page(recipe: "Recipe", changes: dict[str, Any]) -> None:
    html = ranking_html(recipe.but(**changes).proof(), COMMAND)
    data = payload(html)
    assert "NaN" not in json.dumps(data)
    assert ("This would fill it" in html) == (data["charts"]["found"] is None or data["charts"]["tries"] is None)


def test_the_heaviest_page_stays_below_ten_megabytes(recipe: "Recipe") -> None:
    scores = tuple(f"score_{place}" for place in range(8))
    proof = recipe.but(count=4000, shape=(3, 64, 64), scores=scores, classes=("y" * 80,) * 4).proof()
    assert len(ranking_html(proof, COMMAND).encode()) < 10_000_000


def test_the_same_proof_gives_the_same_page(recipe: "Recipe") -> None:
    first, second = (ranking_html(recipe.proof(), COMMAND, date=DATE) for _ in range(2))
    assert first == second
