"""What the page on defences says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.defence.next_step import next_step
from unnerve.reports.defence.verdict import caveats, verdict
from unnerve.reports.parts.cards import Card, accuracy_card, accuracy_facts
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.reports.parts.thumbnails import Thumbnail, pictured, thumbnail
from unnerve.studies.defend.held import Held
from unnerve.studies.defend.result import CLEAN, Defended

__all__ = ["DefencePage", "Gallery", "defence_page"]

_TERMS = (
    Term("clean", "Clean inputs", "Inputs as the data have them."),
    Term("attacked", "Attacked inputs", "The findings of attacks that look for errors."),
    Term("common", "Common inputs", "Clean and attacked inputs together."),
    Term(
        "uncommon",
        "Uncommon inputs",
        "Inputs near real ones that were hunted for a pattern of confidence and uncertainty: LL (unsure but steady), "
        "HH (sure but unsteady), LH (right, but looks adversarial), HL (wrong, but looks benign).",
    ),
    Term(
        "adaptive",
        "Adaptive",
        "Clean inputs for which an attack that knows the defence finds no wrong answer, or none that goes unnoticed. "
        "Another attack may find more: the true share is at most this.",
    ),
    Term(
        "right",
        "Getting an input right",
        "A detector: telling whether the model's answer to it is wrong. An input transform or a hardened model: "
        "answering as labelled.",
    ),
    Term("pcs", "PCS", "Prediction confidence score: the largest probability minus the second largest."),
    Term("vro", "VRO", "Share of dropout draws whose answer is not the model's own."),
)


@dataclass(frozen=True)
class Gallery:
    """Inputs of one group: pictures with their labels, answers, and whether those are wrong."""

    group: str
    note: str
    items: tuple[tuple[Thumbnail, str, str, bool], ...]


@dataclass(frozen=True)
class DefencePage:
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
    plane: bool
    galleries: tuple[Gallery, ...]
    figures: Table
    glossary: tuple[Term, ...]


def defence_page(found: Defended, command: str, date: str) -> DefencePage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance)
    return DefencePage(
        subject=f"{display_name(found.model, 80)} on {display_name(found.data, 80)}",
        date=date,
        verdict=verdict(found),
        caveats=caveats(found),
        facts=(
            ("Data", display_name(found.data, 80)),
            *accuracy_facts(found.accuracy),
            ("Defences", count(len(found.defences) - 1)),
            ("Calibrated with", count(found.calibrated_with, "inputs")),
            ("Report made", date),
        ),
        command=line,
        command_note=note,
        following=next_step(found),
        cards=_cards(found),
        plane=any(one.pcs for one in found.shown),
        galleries=_galleries(found),
        figures=_table(found),
        glossary=_TERMS,
    )


def _cards(found: Defended) -> tuple[Card, ...]:
    cards: list[Card] = []
    for kind, words in found.kinds().items():
        best, bare = found.best(kind), found.over("none", kind)
        # What the headline's defence costs on clean inputs stands there already, and belongs to it alone.
        if best is None or (kind == CLEAN and cards):
            continue
        without = f"without a defence {percent(bare.share.mean)}; " if bare else ""
        worst = "" if best.last == best.first else f"worst {_named(best.last)}; "
        name = f"of {words} right by {display_name(best.first.defence, 30)}"
        cards.append(Card(percent(best.first.share.mean), name, f"{without}{worst}{_sure(best.first)}", kind))
        if len(cards) == 1 and (clean := found.over(best.first.defence, CLEAN)) and kind != CLEAN:
            plain = found.over("none", CLEAN)
            note = f"without a defence {percent(plain.share.mean)}; " if plain else ""
            name = f"of clean inputs right by {display_name(best.first.defence, 30)}"
            cards.append(Card(percent(clean.share.mean), name, f"{note}{_sure(clean)}", CLEAN))
    return (*cards, accuracy_card(found.accuracy, "accuracy on the inputs looked at", "right"))


def _sure(row: Held) -> str:
    return f"95 % interval {percent_between(*row.share.ci95)}"


def _named(row: Held) -> str:
    return f"{display_name(row.defence, 30)} {percent(row.share.mean)}"


def _galleries(found: Defended) -> tuple[Gallery, ...]:
    made = []
    for one in found.shown:
        if not pictured(one.images.shape[1:]):
            continue
        items = tuple(
            (thumbnail(image, found.value_range), display_name(label, 20), display_name(answer, 20), label != answer)
            for image, (label, answer) in zip(one.images, one.answers, strict=True)
        )
        note = f"{count(len(one.wrong), 'inputs')}, {count(sum(one.wrong))} of them with a wrong answer"
        made.append(Gallery(display_name(one.group, 60), note, items))
    return tuple(made)


def _table(found: Defended) -> Table:
    groups = list(dict.fromkeys(row.group for row in found.every_row()))
    sizes = {row.group: f"{count(row.inputs)}, {count(row.adversarial)} adversarial" for row in found.every_row()}
    by_place = {(row.defence, row.group): row for row in found.every_row()}
    rows = []
    for name in found.defences:
        cells = [text_cell(name, 40)]
        for group in groups:
            row = by_place.get((name, group))
            share = None if row is None else row.share
            cells.append(
                Cell("-") if share is None else Cell(percent(share.mean), percent_between(*share.ci95), share.mean)
            )
        rows.append(tuple(cells))
    columns = (("defence", ""), *((display_name(group, 40), sizes[group]) for group in groups))
    return Table("Inputs that each defence gets right, 95 % interval below", columns, tuple(rows))
