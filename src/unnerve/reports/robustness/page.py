"""What the page on robustness says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, duration, percent, percent_between, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.reports.robustness.words import by_attack, figure, measure_name, next_step, span, verdict
from unnerve.studies.score.result import Robustness, Scored

__all__ = ["RobustnessPage", "robustness_page"]

_MOST = 1000
_CLEVER = (
    Term(
        "clever",
        "CLEVER",
        "Estimated distance within which the answer to an input does not change; at most the radius that was looked "
        "at. An attack may find a nearer change.",
    ),
    Term("error", "Standard error", "Of the score of one input, from the spread of its samples."),
    Term("target", "Nearest class", "The class that is reached first, by the estimate."),
    Term("fit", "Fit", "p-value of the extreme-value law behind the score; below 0.001 the largest gradient is taken."),
)
_ATTACK = (
    Term(
        "success",
        "Attack success",
        "Share of the inputs answered correctly that an attack breaks; of all inputs where there are no labels. In "
        "the mean an input is broken if one attack breaks it.",
    ),
    Term("robust", "Robust accuracy", "Share of all inputs that are answered correctly whatever the attacks do."),
)
_ACCURACY = Term("accuracy", "Accuracy", "Share of the inputs, unchanged, that the model answers correctly.")


@dataclass(frozen=True)
class RobustnessPage:
    """All that the page shows, in its order; text is printable but not escaped."""

    subject: str
    date: str
    by_attack: bool
    verdict: tuple[Phrase, ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    following: NextStep
    cards: tuple[Card, ...]
    figures: Table
    glossary: tuple[Term, ...]


def robustness_page(found: Robustness, command: str, date: str) -> RobustnessPage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance)
    own = _ATTACK if by_attack(found) else _distance_terms(found)
    return RobustnessPage(
        subject=f"{display_name(found.model, 80)} on {display_name(found.data, 80)}",
        date=date,
        by_attack=by_attack(found),
        verdict=verdict(found),
        caveats=(
            *(f"WARNING: {text}" for text in found.doubts),
            *(f"{text[:1].upper()}{text[1:]}." for text in found.warnings),
        ),
        facts=(
            ("Measure", display_name(found.measure, 80)),
            *((name.replace("_", " ").capitalize(), _text(value)) for name, value in found.more.items()),
            ("Inputs", count(len(found.scored))),
            ("Measured in", duration(found.seconds)),
            ("Report made", date),
        ),
        command=line,
        command_note=note if found.provenance else "",
        following=next_step(found),
        cards=_cards(found),
        figures=_table(found),
        glossary=own if found.accuracy is None else (*own, _ACCURACY),
    )


def _distance_terms(found: Robustness) -> tuple[Term, ...]:
    name = measure_name(found)
    if name == "CLEVER":
        return _CLEVER
    return (Term("clever", name, f"Distance within which {name} says that the answer to an input does not change."),)


def _text(value: object) -> str:
    if isinstance(value, float):
        return significant(value)
    return display_name(", ".join(map(str, value)) if isinstance(value, list) else str(value), 80)


def _cards(found: Robustness) -> tuple[Card, ...]:
    mean, accuracy = found.mean, found.accuracy
    sure = f"95 % interval {span(found, mean)}"
    if by_attack(found):
        tone = "bad" if mean.mean else ""
        first = [Card(percent(mean.mean), "of the attacked inputs broken", f"0 is best; {sure}", "success", tone)]
        if "robust_accuracy" in found.more:
            robust = float(found.more["robust_accuracy"])
            first.append(Card(percent(robust), "robust accuracy", "right under every attack; 100 % is best", "robust"))
    else:
        least = min(one.value for one in found.scored)
        first = [
            Card(significant(mean.mean), f"mean {measure_name(found)} score", f"larger is better; {sure}", "clever"),
            Card(significant(least), "smallest score of an input", "where an attack would begin", "clever"),
        ]
    if accuracy is None:
        return tuple(first)
    note = f"100 % is best; 95 % interval {percent_between(*accuracy.ci95)}"
    return (*first, Card(percent(accuracy.mean), "accuracy on the inputs as they are", note, "accuracy"))


def _table(found: Robustness) -> Table:
    """Return a row for every input, those that hold least first."""
    order = sorted(found.scored, key=lambda one: -one.value if by_attack(found) else one.value)
    names = list(found.scored[0].more)
    words = {"error": "standard error", "target": "nearest class", "predicted": "answer"}
    first = ("broken", "by any attack") if by_attack(found) else (measure_name(found), "distance")
    columns = (("input", ""), first, ("right", "unchanged"), *((words.get(name, name), "") for name in names))
    left = f"; the first {count(_MOST)} of {count(len(order))}" if len(order) > _MOST else ""
    rows = tuple(_row(found, one, names) for one in order[:_MOST])
    return Table(f"Every input, those that hold least first{left}", columns, rows)


def _row(found: Robustness, one: Scored, names: list[str]) -> tuple[Cell, ...]:
    value = _yes(bool(one.value)) if by_attack(found) else Cell(figure(found, one.value), key=one.value)
    return (text_cell(one.id, 60), value, _yes(one.correct), *(_cell(one.more[name]) for name in names))


def _cell(value: object) -> Cell:
    if isinstance(value, bool) or value is None:
        return _yes(value)
    if isinstance(value, float):
        return Cell(significant(value), key=value)
    return text_cell(str(value), 40)


def _yes(value: bool | None) -> Cell:
    return Cell("-") if value is None else Cell("yes" if value else "no", key=int(value))
