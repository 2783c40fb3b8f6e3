"""What the page on a hardening says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.hardening.next_step import next_step
from unnerve.reports.hardening.words import change, change_span, figure, span, trained
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import between, count, duration, percent, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Cell, Table
from unnerve.studies.harden.result import Compared, Hardening
from unnerve.studies.intervals.interval import Interval

__all__ = ["HardeningPage", "hardening_page"]

_GLOSSARY = (
    Term("clean", "clean accuracy", "share of fresh inputs, unchanged, that are answered correctly"),
    Term("success", "attack success", "share of the correctly answered inputs that an attack makes wrong"),
    Term("robust", "robust accuracy", "share of the attacked inputs that are answered correctly, whatever attacks do"),
    Term("fresh", "fresh inputs", "neither seeds of the campaign, nor trained on, nor used to decide when to stop"),
    Term("clever", "CLEVER", "estimated distance within which an answer does not change; an attack may find less"),
    Term(
        "replayed",
        "findings still wrong",
        "the campaign's own findings again: those that were trained on say little, for the network has seen their "
        "answers",
    ),
)


@dataclass(frozen=True)
class HardeningPage:
    """All that the page shows, in its order; text is printable but not escaped.

    Parameters
    ----------
    subject, date : str
    verdict, caveats : the first sentence, and what stands beside it
    facts : tuple of (name, value)
    command, command_note : str
        The command that repeats the run, or why there is none.
    following : NextStep
        What to do next.
    figures : Table
    weights : str
        The command that uses the weights.
    glossary : tuple of Term
    """

    subject: str
    date: str
    verdict: tuple[Phrase, ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    following: NextStep
    figures: Table
    weights: str
    glossary: tuple[Term, ...]


def hardening_page(found: Hardening, command: str, date: str) -> HardeningPage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance, found.out)
    return HardeningPage(
        subject=f"{display_name(found.model, 80)} on {display_name(found.data, 80)}",
        date=date,
        verdict=_verdict(found),
        caveats=(*_doubts(found), *found.warnings),
        facts=_facts(found, date),
        command=line,
        command_note=note,
        following=next_step(found),
        figures=_table(found),
        weights=display_name(found.weights, 200),
        glossary=_GLOSSARY,
    )


def _verdict(found: Hardening) -> tuple[Phrase, ...]:
    """Lead with the change that is not chance: under attack, or else without."""
    sides = [("under attack ", found.robust_accuracy), ("without attack ", found.accuracy)]
    if not _sure(found.robust_accuracy.change):
        sides.reverse()
    (first, one), (second, other) = sides
    opening = (Phrase(first.capitalize()), Phrase(percent(one.after.mean), "figure"))
    middle = (
        Phrase(" of the inputs are answered correctly, where it was "),
        Phrase(percent(one.before.mean), "figure"),
    )
    end = (Phrase(percent(other.after.mean), "figure"), Phrase(", where it was "))
    last = Phrase(percent(other.before.mean), "figure")
    return (*opening, *middle, *_moved(one), Phrase("; " + second), *end, last, *_moved(other), Phrase("."))


def _moved(one: Compared) -> tuple[Phrase, ...]:
    if not _sure(one.change):
        return (Phrase(", which may be chance"),)
    word = "gain" if one.change.mean > 0 else "loss"
    return (Phrase(f": a {word} of "), Phrase(f"{significant(abs(100 * one.change.mean))} points", "figure"))


def _sure(change: Interval) -> bool:
    return not change.low <= 0 <= change.high


def _doubts(found: Hardening) -> tuple[str, ...]:
    said = [_interval("under attack", found.robust_accuracy.change), _interval("without attack", found.accuracy.change)]
    few = (
        ()
        if _sure(found.robust_accuracy.change)
        else ("Too few inputs were attacked to tell what changed under attack (95 %).",)
    )
    return (*(one for one in said if one), *few)


def _interval(where: str, change: Interval) -> str:
    if not _sure(change):
        return ""
    word = "gain" if change.mean > 0 else "loss"
    # A loss is told as an amount, so that the ends of its interval change places.
    low, high = sorted(100 * abs(end) for end in change.ci95)
    return f"The {word} {where} is {between(low, high)} percentage points (95 %)."


def _facts(found: Hardening, date: str) -> tuple[tuple[str, str], ...]:
    known = found.training
    validation = f"{percent(known['validation_before'])} to {percent(known['validation_after'])}"
    return (
        ("Repair", display_name(found.repair, 80)),
        ("Training", trained(found)),
        ("Validation", f"{validation}, {percent(known['tolerance'])} may be lost"),
        (
            "Fresh inputs",
            f"{count(found.counts['fresh'])}, {count(found.counts['attacked'])} attacked in {found.region}",
        ),
        ("Findings of", display_name(found.campaign, 80)),
        ("Took", duration(found.seconds)),
        ("Report made", date),
    )


def _table(found: Hardening) -> Table:
    columns = (("figure", ""), ("before", "95 %"), ("after", "95 %"), ("change", "95 %, input by input"))
    rows = tuple(_row(place, name, one) for place, (name, one) in enumerate(found.rows().items()))
    return Table("Before and after", columns, rows)


def _row(place: int, name: str, one: Compared) -> tuple[Cell, ...]:
    sides = [Cell(figure(name, part.mean), span(name, part), part.mean) for part in (one.before, one.after)]
    moved = Cell(change(name, one.change.mean), change_span(name, one.change), one.change.mean, _sure(one.change))
    return (Cell(display_name(name, 60), key=place), *sides, moved)
