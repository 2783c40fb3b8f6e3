"""Oracles in plain words."""

import pytest

from unnerve.core.facts import OracleFacts
from unnerve.core.naming.catalogue import build
from unnerve.reports.parts.oracles import error_phrases, oracle_options, oracle_words

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
    oracle = build("oracle", text).facts()
    assert oracle_words(oracle, CLASSES) == error
    assert "".join(phrase.text for phrase in error_phrases(oracle, CLASSES)) == done


def test_a_strangers_oracle_is_quoted_and_cannot_hide_anything() -> None:
    theirs = OracleFacts({"name": "theirs"}, "theirs", "the oracle the\x1birs {0}", "f\x1bail")
    assert oracle_words(theirs, CLASSES) == "the oracle the\u241birs {0}"
    assert "".join(phrase.text for phrase in error_phrases(theirs, CLASSES)) == " was made to f\u241bail on "
    assert oracle_options(theirs, True) == ["--oracle", "theirs"]


@pytest.mark.parametrize(
    ("oracle", "labelled", "options"),
    [
        ("misclassified", True, []),
        ("misclassified", False, ["--oracle", "misclassified"]),
        ("changed", False, []),
        ("changed", True, ["--oracle", "changed"]),
        ("becomes:2", True, ["--target", "2"]),
    ],
)
def test_only_the_usual_oracle_needs_no_option(oracle: str, labelled: bool, options: list[str]) -> None:
    assert oracle_options(build("oracle", oracle).facts(), labelled) == options
