"""What the page on reactions says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.parts.cards import accuracy_facts
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, duration, percent, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Table
from unnerve.reports.reactions.charts import MOST_BARS
from unnerve.reports.reactions.glossary import reactions_glossary, reactions_steps
from unnerve.reports.reactions.next_step import next_step
from unnerve.reports.reactions.tables import layer_table, neuron_table
from unnerve.reports.reactions.verdict import caveats, verdict
from unnerve.reports.reactions.words import reaction_name, unit
from unnerve.studies.react.result import Reactions

__all__ = ["ReactionsPage", "reactions_page"]


@dataclass(frozen=True)
class ReactionsPage:
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
    methods : tuple of str
        Names of those that found something.
    profiles : tuple of str
        Titles of the charts by layer: one without a title, or one for each method.
    numbered : bool
        Whether the charts by layer show numbers instead of names.
    top : int
        How many neurons are a method's strongest.
    plane : str
        What stands beside the plane of the last hidden layer; empty if there is none.
    layers, neurons : Table
    steps : tuple of str
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
    methods: tuple[str, ...]
    profiles: tuple[str, ...]
    numbered: bool
    top: int
    plane: str
    layers: Table
    neurons: Table
    steps: tuple[str, ...]
    glossary: tuple[Term, ...]


def reactions_page(found: Reactions, profiles: tuple[str, ...], command: str, date: str) -> ReactionsPage:
    """Turn what was measured into the values of its page; a command is shown instead of the one that repeats it."""
    line, note = shown_command(command, found.provenance)
    return ReactionsPage(
        subject=_subject(found),
        date=date,
        verdict=verdict(found),
        caveats=(*(found.accuracy.loud() if found.accuracy is not None else ()), *caveats(found)),
        facts=_facts(found, date),
        command=line,
        command_note=note,
        following=next_step(found),
        methods=tuple(display_name(method, 60) for method in found.methods),
        profiles=profiles,
        numbered=len(found.neurons.layers) > MOST_BARS,
        top=found.count,
        plane=_plane(found),
        layers=layer_table(found),
        neurons=neuron_table(found),
        steps=reactions_steps(found),
        glossary=reactions_glossary(found),
    )


def _subject(found: Reactions) -> str:
    model, opened = display_name(found.model, 80), found.provenance and found.provenance.data
    source = opened.source if opened else None
    return f"{model} on {display_name(source, 80)}" if source else model


def _plane(found: Reactions) -> str:
    if found.plane is None:
        return ""
    shares = [f"{percent(share)} of {display_name(name, 40)}" for name, share in found.plane.among_answered.items()]
    return f"Nearest to a seed of the class that the model answers are {', '.join(shares)}."


def _facts(found: Reactions, date: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Reaction", reaction_name(found.reaction)),
        ("Reacts", f"above {significant(found.threshold)} {unit(found)}"),
        ("Neurons", f"{count(len(found.neurons))} ({display_name(found.neurons.chosen_by, 60)})"),
        ("Campaign", display_name(found.campaign, 80)),
        *accuracy_facts(found.accuracy),
        ("Measured in", duration(found.seconds)),
        ("Report made", date),
    )
