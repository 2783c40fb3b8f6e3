"""The sentence at the top of the page on natural changes, its cards, and what stands beside them."""

from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.corrupt.result import Corruption

__all__ = ["by_harm", "cards", "caveats", "change_name", "class_shown", "verdict"]


def change_name(name: str) -> str:
    """Return a change in words."""
    return name.replace("_", " ")


def by_harm(found: Corruption) -> list[str]:
    """Return the changes, the most harmful first."""
    return sorted(found.changes, key=lambda one: -found.error(one).mean)


def verdict(found: Corruption) -> tuple[Phrase, ...]:
    """Return the first sentence of the page, without adjectives."""
    after = 1 - found.mean_corruption_error.mean
    if not found.labelled:
        return (
            Phrase("After natural changes "),
            Phrase(percent(after), "figure"),
            Phrase(" of the answers are as they were."),
        )
    return (
        Phrase("Natural changes lower the accuracy from "),
        Phrase(percent(found.accuracy.mean), "figure"),
        Phrase(" to "),
        Phrase(percent(after), "figure"),
        Phrase(" on average."),
    )


def caveats(found: Corruption) -> tuple[str, ...]:
    """Return how sure the verdict is, and what it leaves out."""
    worst, severities = by_harm(found)[0], found.severities
    said = [
        *(f"WARNING: {text}" for text in found.doubts),
        f"Means over {count(len(found.clean), 'inputs')}, {count(len(found.changes), 'changes')} and severities "
        f"{', '.join(map(str, severities))}.",
        f"{change_name(worst).capitalize()} harms most: {percent(found.error(worst).mean)} of the answers are wrong.",
    ]
    if not found.labelled:
        said.append("The data have no labels, so answers are compared with those to unchanged inputs.")
    return tuple(said)


def cards(found: Corruption) -> tuple[Card, ...]:
    """Return the figures at a glance."""
    mean, worst = found.mean_corruption_error, by_harm(found)[0]
    harm, hardest = found.error(worst), found.severities[-1]
    last = found.at(worst, hardest)
    first = Card(percent(found.accuracy.mean), "accuracy without changes", _sure(found.accuracy.ci95), "accuracy")
    return (
        *([first] if found.labelled else []),
        Card(percent(mean.mean), "mean corruption error", _sure(mean.ci95), "mce"),
        Card(percent(harm.mean), f"error under {change_name(worst)}", f"the highest; {_sure(harm.ci95)}", "error"),
        Card(
            percent(last.mean),
            f"accuracy, {change_name(worst)}, severity {hardest}" if found.labelled else "answers kept at its worst",
            _sure(last.ci95),
            "severity",
        ),
    )


def class_shown(found: Corruption, number: int) -> str:
    """Return a class as a page shows it."""
    return display_name(found.class_name(number), 40)


def _sure(ends: tuple[float, float]) -> str:
    return f"95 % interval {percent_between(*ends)}"
