"""A figure at a glance, with what is good and what is bad."""

from dataclasses import dataclass

from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between
from unnerve.studies.accuracy.accuracy import Accuracy

__all__ = ["Card", "accuracy_card", "accuracy_facts", "accuracy_warnings"]


@dataclass(frozen=True)
class Card:
    """One figure.

    Parameters
    ----------
    figure : str
    name : str
        What it is.
    note : str
        What is good or bad, and how sure it is.
    term : str
        Its explanation further down the page.
    tone : str
        ``bad`` for what stands in the colour of failures; mostly empty.
    """

    figure: str
    name: str
    note: str
    term: str
    tone: str = ""


def accuracy_card(accuracy: Accuracy | None, name: str, term: str) -> Card:
    """Return the card of an accuracy, under a name, explained by a term of the glossary."""
    if accuracy is None or accuracy.share is None:
        return Card("unknown", name, "needs data with labels", term)
    interval = percent_between(*accuracy.share.ci95)
    note = f"{count(accuracy.right)} of {count(accuracy.inputs)}; 100 % is best; 95 % interval {interval}"
    if accuracy.doubts:
        note = f"WARNING: this looks wrong; {note}"
    return Card(percent(accuracy.share.mean), name, note, term)


def accuracy_facts(accuracy: Accuracy | None) -> tuple[tuple[str, str], ...]:
    """Return the accuracy as a name and a value; empty if it is unknown."""
    if accuracy is None or accuracy.share is None:
        return ()
    return (("Accuracy", accuracy.text().removeprefix("Accuracy ")),)


def accuracy_warnings(accuracy: Accuracy | None, model: str) -> tuple[str, ...]:
    """Return what makes a model's answers look wrong, as sentences; mostly none."""
    said = () if accuracy is None else accuracy.doubts
    return tuple(f"WARNING: {display_name(model, 60)}: {one}{'' if one.endswith('?') else '.'}" for one in said)
