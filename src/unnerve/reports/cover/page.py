"""What the page on coverage says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.cover.bars import CriterionBar, LayerSet, criterion_bars, layer_sets
from unnerve.reports.cover.first import FirstScreen, first_screen
from unnerve.reports.parts.cards import Card, accuracy_card, accuracy_warnings
from unnerve.reports.parts.commands import shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, duration
from unnerve.studies.cover.result import Cover

__all__ = ["CoverPage", "cover_page"]

_TERMS = (
    Term("neuron", "Neuron", "A channel of a convolution, averaged over places, or a unit of a dense layer."),
    Term("accuracy", "Accuracy", "Share of the inputs that the model classifies as labelled."),
    Term(
        "profile",
        "Profile",
        "The smallest and the largest value of every neuron on training data. kmnc counts sections between the two; "
        "nbc and snac count neurons that leave them.",
    ),
    Term("nc", "nc", "Neuron coverage: neurons above a threshold for some input, scaled by their layer."),
    Term("tk", "tknc, bknc", "Neurons that are among the most, or the least, active of their layer for some input."),
    Term(
        "tknp", "tknp", "Distinct patterns of the most active neurons of all layers: a number, whose total is unknown."
    ),
    Term("points", "Points", "Percentage points: from 60 % to 62 % are two."),
)


@dataclass(frozen=True)
class CoverPage:
    """All that the page shows, in its order; text is printable but not escaped."""

    subject: str
    date: str
    first: FirstScreen
    warnings: tuple[str, ...]
    bars: tuple[CriterionBar, ...]
    left_out: str
    nothing: tuple[str, ...]
    cards: tuple[Card, ...]
    layers: tuple[LayerSet, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    glossary: tuple[Term, ...]


def cover_page(found: Cover, command: str, date: str) -> CoverPage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance)
    return CoverPage(
        subject=f"{display_name(found.model, 60)} on {display_name(found.data, 60)}",
        date=date,
        first=first_screen(found),
        warnings=accuracy_warnings(found.accuracy, found.model),
        bars=criterion_bars(found),
        left_out=", ".join(sorted(found.left_out)),
        nothing=tuple(display_name(one.data, 40) for one in found.additions if not one.inputs),
        cards=_cards(found),
        layers=layer_sets(found),
        facts=_facts(found, date),
        command=line,
        command_note=note,
        glossary=_TERMS,
    )


def _cards(found: Cover) -> tuple[Card, ...]:
    trained = (
        Card("none", "profile", "kmnc, nbc and snac need training data", "profile")
        if found.profile is None
        else Card(count(found.profile.inputs), "training inputs", "set the ranges of the neurons", "profile")
    )
    watched = f"in {count(len(found.neurons.layers), 'layers')} ({display_name(found.neurons.chosen_by, 40)})"
    return (
        Card(count(len(found.neurons)), "neurons", watched, "neuron"),
        trained,
        accuracy_card(found.accuracy, "accuracy", "accuracy"),
    )


def _facts(found: Cover, date: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Inputs", count(found.inputs)),
        ("Neurons", f"{count(len(found.neurons))} ({display_name(found.neurons.chosen_by, 60)})"),
        ("Profile", "none" if found.profile is None else count(found.profile.inputs, "training inputs")),
        ("Measured in", duration(found.seconds)),
        ("Report made", date),
    )
