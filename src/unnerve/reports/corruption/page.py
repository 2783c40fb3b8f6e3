"""What the page on natural changes says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.corruption.next_step import next_step
from unnerve.reports.corruption.verdict import by_harm, cards, caveats, change_name, class_shown, verdict
from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, duration, percent, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.reports.parts.thumbnails import Thumbnail, pictured, thumbnail
from unnerve.studies.corrupt.result import Corruption

__all__ = ["CorruptionPage", "Example", "corruption_page"]

_TERMS = (
    Term("accuracy", "Accuracy", "The share of the inputs that the model answers correctly."),
    Term(
        "severity",
        "Severity",
        "How strong a change is, from 1 to 5, with the amounts that Hendrycks and Dietterich chose for small images, "
        "or ours where they have none.",
    ),
    Term("error", "Error of a change", "The share of wrong answers, averaged over the severities."),
    Term(
        "mce",
        "Mean corruption error",
        "The mean of the errors of all changes. It is not divided by the errors of another network, as it is for "
        "ImageNet-C.",
    ),
)


@dataclass(frozen=True)
class Example:
    """One input under one change: pictures with answers, and whether each is the answer to the unchanged input."""

    change: str
    id: str
    note: str
    steps: tuple[tuple[str, Thumbnail, str, bool], ...]


@dataclass(frozen=True)
class CorruptionPage:
    """All that the page shows, in its order; text is printable but not escaped."""

    subject: str
    date: str
    verdict: tuple[Phrase, ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    following: NextStep
    cards: tuple[Card, ...]
    lines: int
    examples: tuple[Example, ...]
    harms: Table
    figures: Table
    glossary: tuple[Term, ...]


def corruption_page(found: Corruption, command: str, date: str) -> CorruptionPage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance)
    return CorruptionPage(
        subject=f"{display_name(found.model, 80)} on {display_name(found.data, 80)}",
        date=date,
        verdict=verdict(found),
        caveats=caveats(found),
        facts=_facts(found, date),
        command=line,
        command_note=note,
        following=next_step(found),
        cards=cards(found),
        lines=min(6, len(found.changes)),
        examples=_examples(found),
        harms=_harm_table(found),
        figures=_figure_table(found),
        glossary=_TERMS,
    )


def _facts(found: Corruption, date: str) -> tuple[tuple[str, str], ...]:
    kept = () if found.out is None else (("Changed set", display_name(found.out, 80)),)
    return (
        ("Data", display_name(found.data, 80)),
        ("Inputs", count(len(found.clean))),
        ("Changes", count(len(found.changes))),
        *kept,
        ("Measured in", duration(found.seconds)),
        ("Report made", date),
    )


def _examples(found: Corruption) -> tuple[Example, ...]:
    made = []
    for change in by_harm(found):
        one = found.shown[found.changes.index(change)]
        if not pictured(one.images.shape[1:]):
            continue
        names = ["no change", *(f"severity {severity}" for severity in found.severities)]
        steps = tuple(
            (name, thumbnail(image, found.value_range), class_shown(found, answer), answer == one.answers[0])
            for name, image, answer in zip(names, one.images, one.answers, strict=True)
        )
        note = "" if one.turned else "No answer that was right became wrong."
        made.append(Example(change_name(change), printable(one.id), note, steps))
    return tuple(made)


def _harm_table(found: Corruption) -> Table:
    columns = (("class", ""), ("most harmful change", ""), ("error", "95 % interval below"), ("without changes", ""))
    rows = []
    for name, harm in found.harms().items():
        clean = Cell(percent(harm.clean_error.mean), percent_between(*harm.clean_error.ci95), harm.clean_error.mean)
        error = Cell(percent(harm.error.mean), percent_between(*harm.error.ci95), harm.error.mean)
        named = text_cell("none does harm" if harm.change is None else change_name(harm.change), 40)
        rows.append((Cell(display_name(name, 40), f"{count(harm.inputs, 'inputs')}", name), named, error, clean))
    return Table("The most harmful change of every class", columns, tuple(rows))


def _figure_table(found: Corruption) -> Table:
    kept = "accuracy" if found.labelled else "answers kept"
    severities = tuple((f"severity {one}", f"{kept}, 95 % interval below") for one in found.severities)
    columns = (("change", ""), ("error", "mean over severities"), *severities)
    rows = []
    for change in by_harm(found):
        error = found.error(change)
        cells = [Cell(percent(error.mean), percent_between(*error.ci95), error.mean)]
        for severity in found.severities:
            one = found.at(change, severity)
            cells.append(Cell(percent(one.mean), percent_between(*one.ci95), one.mean))
        rows.append((text_cell(change_name(change), 40), *cells))
    return Table("Every change and severity", columns, tuple(rows))
