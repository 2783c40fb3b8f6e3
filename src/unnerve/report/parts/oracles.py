"""Oracles in plain words, read from their descriptions in a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from unnerve.report.parts.names import class_name, printable, short
from unnerve.report.parts.phrases import Phrase

__all__ = ["error_phrases", "oracle_options", "oracle_words", "target_class"]

_WORDS = {"misclassified": "the answer is not the label", "changed": "the answer is not the one to the seed"}


def oracle_words(oracle: Mapping[str, Any], classes: Sequence[str]) -> str:
    """Return what counts as an error; ``classes`` are their names by their numbers."""
    target = target_class(oracle)
    if target is not None:
        return f"the answer becomes {short(class_name(classes, target), 40)}"
    name = str(oracle.get("name"))
    return _WORDS.get(name, f"the oracle {printable(name)}")


def error_phrases(oracle: Mapping[str, Any], classes: Sequence[str]) -> tuple[Phrase, ...]:
    """Return what a model was made to do, between its name and the inputs it did so on."""
    target = target_class(oracle)
    if target is not None:
        name = Phrase(short(class_name(classes, target), 40), "name")
        return (Phrase(" was made to answer "), name, Phrase(" on "))
    if oracle.get("name") == "changed":
        return (Phrase(" was made to change its answer on "),)
    return (Phrase(" was made to fail on "),)


def oracle_options(oracle: Mapping[str, Any], labelled: bool) -> list[str]:
    """Return the options of the command line that choose an oracle; none for the usual one."""
    name = str(oracle.get("name"))
    if name == "becomes":
        return ["--target", str(oracle.get("target"))]
    return [] if name == ("misclassified" if labelled else "changed") else ["--oracle", name]


def target_class(oracle: Mapping[str, Any]) -> int | None:
    """Return the class that answers shall become; None if any wrong one counts."""
    return int(oracle.get("target", -1)) if oracle.get("name") == "becomes" else None
