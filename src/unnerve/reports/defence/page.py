"""What the page on defences says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.defence.next_step import next_step
from unnerve.reports.parts.cards import Card, accuracy_card
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.reports.parts.thumbnails import Thumbnail, pictured, thumbnail
from unnerve.studies.defend.result import ADAPTIVE, Defended, Held

__all__ = ["DefencePage", "Gallery", "defence_page"]

_TERMS = (
    Term("common", "Common inputs", "Clean inputs, and the findings of attacks that look for errors."),
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
        verdict=_verdict(found),
        caveats=_caveats(found),
        facts=(
            ("Data", display_name(found.data, 80)),
            *((("Accuracy", text),) if found.accuracy is not None and (text := found.accuracy.text()) else ()),
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


def _means(found: Defended) -> dict[str, float]:
    """Return the mean success of all defences on each kind of input that was tested."""
    names = [name for name in found.defences if name != "none"]
    rows = {
        "common": [found.total(name, uncommon=False) for name in names],
        "uncommon": [found.total(name, uncommon=True) for name in names],
        ADAPTIVE: [found.adaptive(name) for name in names],
    }
    shares = {kind: [row.share.mean for row in own if row is not None] for kind, own in rows.items()}
    return {kind: sum(own) / len(own) for kind, own in shares.items() if own}


def _verdict(found: Defended) -> tuple[Phrase, ...]:
    words: list[Phrase] = []
    for kind, share in _means(found).items():
        what = " of inputs against attacks that know them" if kind == ADAPTIVE else f" of {kind} inputs"
        words += [Phrase(", " if words else ""), Phrase(percent(share), "figure"), Phrase(what)]
    return (Phrase("On average the defences hold on "), *words, Phrase("."))


def _caveats(found: Defended) -> tuple[str, ...]:
    said = [] if found.accuracy is None else found.accuracy.loud()
    said += ["Means over the defences; a common input that is clean counts as one that is attacked."]
    if not any(row.uncommon for row in found.rows):
        said.append("No uncommon inputs were tested: give campaigns of hunt --pattern.")
    if all(row.group != ADAPTIVE for row in found.rows):
        said.append("No attack here knows the defence, and what holds may fall to one that does: --adaptive.")
    else:
        said.append(f"Attacks that know a defence looked in {found.region}.")
    return (*said, *found.warnings)


def _cards(found: Defended) -> tuple[Card, ...]:
    cards = []
    for kind, share in _means(found).items():
        names = [name for name in found.defences if name != "none"]
        rows = [found.adaptive(one) if kind == ADAPTIVE else found.total(one, kind == "uncommon") for one in names]
        known = [row for row in rows if row is not None]
        best, worst = (choose(known, key=lambda row: row.share.mean) for choose in (max, min))
        note = f"best {_named(best)}, worst {_named(worst)}"
        name = "held against attacks that know them" if kind == ADAPTIVE else f"{kind} inputs right"
        cards.append(Card(percent(share), name, note, kind))
    bare = found.total("none", uncommon=False) if "none" in found.defences else None
    if bare is not None:
        cards.append(Card(percent(bare.share.mean), "common inputs right without a defence", _sure(bare), "common"))
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
