"""Oracles in plain words."""

from typing import Any

import pytest

from unnerve.core.catalogue import build, describe
from unnerve.reports.parts.oracles import error_phrases, oracle_options, oracle_words, target_class

CLASSES = ["zero", "one", "two"]


@pytest.mark.parametrize(
    ("text", "error", "done"),
    [
        ("misclassified", "the answer is not the label", " was made to fail on "),
        ("changed", "the answer is not the one to the seed", " was made to change its answer on "),
        ("becomes:2", "the answer becomes two", " was made to answer two on "),
        ("becomes:7", "the answer becomes class 7", " was made to answer class 7 on "),
    ],
)
def test_words(text: str, error: str, done: str) -> None:
    oracle = describe(build("oracle", text))
    assert oracle_words(oracle, CLASSES) == error
    assert "".join(phrase.text for phrase in error_phrases(oracle, CLASSES)) == done


def test_an_unknown_oracle_is_named() -> None:
    theirs = {"name": "the\x1birs"}
    assert oracle_words(theirs, CLASSES) == "the oracle the\u241birs"
    assert target_class(theirs) is None


@pytest.mark.parametrize(
    ("oracle", "labelled", "options"),
    [
        ({"name": "misclassified"}, True, []),
        ({"name": "misclassified"}, False, ["--oracle", "misclassified"]),
        ({"name": "changed"}, False, []),
        ({"name": "changed"}, True, ["--oracle", "changed"]),
        ({"name": "becomes", "target": 2}, True, ["--target", "2"]),
    ],
)
def test_only_the_usual_oracle_needs_no_option(oracle: dict[str, Any], labelled: bool, options: list[str]) -> None:
    assert oracle_options(oracle, labelled) == options
