"""Oracles in plain words, from what they said of themselves."""

from collections.abc import Sequence

from unnerve.core.facts import OracleFacts
from unnerve.reports.parts.names import class_name, printable, short
from unnerve.reports.parts.phrases import Phrase

__all__ = ["error_phrases", "oracle_options", "oracle_words"]


def oracle_words(oracle: OracleFacts, classes: Sequence[str]) -> str:
    """Return what counts as an error; ``classes`` are their names by their numbers."""
    return printable(oracle.phrase.replace("{target}", _target(oracle, classes)))


def error_phrases(oracle: OracleFacts, classes: Sequence[str]) -> tuple[Phrase, ...]:
    """Return what a model was made to do, between its name and the inputs it did so on."""
    deed, named, _ = oracle.deed.partition("{target}")
    if not named:
        return (Phrase(f" was made to {printable(deed)} on "),)
    return (Phrase(f" was made to {printable(deed)}"), Phrase(_target(oracle, classes), "name"), Phrase(" on "))


def oracle_options(oracle: OracleFacts, labelled: bool) -> list[str]:
    """Return the options of the command line that choose an oracle; none for the usual one."""
    if oracle.target is not None:
        return ["--target", str(oracle.target)]
    return [] if oracle.text == ("misclassified" if labelled else "changed") else ["--oracle", oracle.text]


def _target(oracle: OracleFacts, classes: Sequence[str]) -> str:
    return "" if oracle.target is None else short(class_name(classes, oracle.target), 40)
