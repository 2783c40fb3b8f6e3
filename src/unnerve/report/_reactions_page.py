"""What the page on reactions says, as plain values: no HTML, no plotting, no clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from unnerve.report._names import printable, short
from unnerve.report._numbers import count, duration, percent, significant
from unnerve.report._tables import Cell, Table
from unnerve.report._verdict import Phrase
from unnerve.studies.reacted import Neuron, Reactions

__all__ = ["ReactionsPage", "reaction_name", "reactions_page", "shared", "unit"]

_UNITS = {
    "spread": "standard deviations",
    "eq1": "per unit of L2",
    "minmax": "of the layer",
    "released": "of the layer",
}


@dataclass(frozen=True)
class ReactionsPage:
    """All that the page shows, in its order; text is printable but not escaped.

    Parameters
    ----------
    subject : str
    verdict, doubts : the first sentence, and what stands beside it
    facts : tuple of (name, value)
    command : str
    methods : tuple of str
        Names of those that found something.
    top : int
        How many neurons are a method's strongest.
    layers, neurons : Table
    steps : tuple of str
    terms : tuple of (anchor, word, meaning)
    """

    subject: str
    verdict: tuple[Phrase, ...]
    doubts: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    methods: tuple[str, ...]
    top: int
    layers: Table
    neurons: Table
    steps: tuple[str, ...]
    terms: tuple[tuple[str, str, str], ...]


def reactions_page(found: Reactions, command: str, date: str) -> ReactionsPage:
    """Turn what was measured into the values of its page."""
    return ReactionsPage(
        subject=short(printable(found.model), 80),
        verdict=_verdict(found),
        doubts=_doubts(found),
        facts=_facts(found, date),
        command=printable(command),
        methods=tuple(short(printable(method), 60) for method in found.methods),
        top=found.count,
        layers=_layer_table(found),
        neurons=_neuron_table(found),
        steps=_steps(found),
        terms=_terms(found),
    )


def reaction_name(reaction: Mapping[str, Any]) -> str:
    """Write a reaction with its settings."""
    settings = ", ".join(f"{key}={value}" for key, value in reaction.items() if key != "name")
    return printable(f"{reaction['name']} ({settings})" if settings else str(reaction["name"]))


def unit(found: Reactions) -> str:
    """Return what reactions are measured in."""
    return _UNITS.get(str(found.reaction.get("scale")), "nats")


def shared(found: Reactions) -> float | None:
    """Return the mean overlap of the strongest neurons of every two methods; None if there is only one."""
    pairs = [found.overlap(one, other) for one, other in combinations(found.methods, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _verdict(found: Reactions) -> tuple[Phrase, ...]:
    method = next(iter(found.methods))
    word = "to blame" if found.reaction["name"] != "sensitivity" else "sensitive"
    return (
        Phrase("To errors of "),
        Phrase(short(printable(method), 40), "name"),
        Phrase(", "),
        Phrase(percent(found.share(method)), "figure"),
        Phrase(f" of the neurons are {word}; to noise of the same size, "),
        Phrase(percent(found.share(method, noise=True)), "figure"),
        Phrase("."),
    )


def _doubts(found: Reactions) -> tuple[str, ...]:
    method = next(iter(found.methods))
    one = found.methods[method]
    said = [f"Means over {count(one.pairs, 'pairs')} of a seed and its smallest error.", _standing_out(found, method)]
    if one.noise_errors:
        said.append(f"The noise made {count(one.noise_errors)} of them fail too.")
    overlap = shared(found)
    if overlap is not None:
        said.append(
            f"Two methods share {percent(overlap)} of their {found.count} strongest neurons on average; by chance it "
            f"would be {percent(found.chance)}."
        )
    if found.nothing:
        said.append(f"Nothing was found by {', '.join(short(printable(name), 40) for name in found.nothing)}.")
    return tuple(said)


def _standing_out(found: Reactions, method: str) -> str:
    errors, noise = found.layer_shares(method), found.layer_shares(method, noise=True)
    layer = max(errors, key=lambda name: errors[name] - noise[name])
    against = f"{percent(errors[layer])} against {percent(noise[layer])}"
    return f"Errors stand out most in {short(printable(layer), 40)}: {against}."


def _facts(found: Reactions, date: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Reaction", reaction_name(found.reaction)),
        ("Reacts", f"above {significant(found.threshold)} {unit(found)}"),
        ("Neurons", f"{count(len(found.neurons))} ({short(printable(found.neurons.chosen_by), 60)})"),
        ("Campaign", short(printable(found.campaign), 80)),
        ("Measured in", duration(found.seconds)),
        ("Report made", date),
    )


def _layer_table(found: Reactions) -> Table:
    columns = [("layer", ""), ("neurons", "")]
    for method, one in found.methods.items():
        name = short(printable(method), 40)
        columns += [(name, f"neurons that react, {count(one.pairs, 'pairs')}"), ("noise", f"as large as {name}")]
    by_method = [(found.layer_shares(method), found.layer_shares(method, noise=True)) for method in found.methods]
    rows = [
        (
            Cell(short(printable(layer.name), 60), key=place),
            Cell(count(layer.count), key=layer.count),
            *(_share(one[layer.name]) for pair in by_method for one in pair),
        )
        for place, layer in enumerate(found.neurons.layers)
    ]
    whole = [_share(found.share(method, noise)) for method in found.methods for noise in (False, True)]
    rows.append((Cell("all", key=len(rows)), Cell(count(len(found.neurons)), key=len(found.neurons)), *whole))
    return Table("Share of each layer\u2019s neurons that react", tuple(columns), tuple(rows))


def _share(value: float) -> Cell:
    return Cell(percent(value), key=value)


def _neuron_table(found: Reactions) -> Table:
    strongest = {method: found.strongest(method) for method in found.methods}
    places = {method: {(one.layer, one.index) for one in some} for method, some in strongest.items()}
    common = set.intersection(*places.values()) if len(places) > 1 else set()
    columns = (("place", ""), *((short(printable(method), 40), f"mean, {unit(found)}") for method in strongest))
    rows = tuple(
        (Cell(str(place + 1), key=place), *(_neuron(some[place], common) for some in strongest.values()))
        for place in range(found.count)
    )
    return Table(f"The {found.count} neurons that react most", columns, rows)


def _neuron(neuron: Neuron, common: set[tuple[str, int]]) -> Cell:
    name = f"{short(printable(neuron.layer), 40)} {neuron.index}"
    more = f"{significant(neuron.value)}; in {percent(neuron.share)} of the pairs"
    return Cell(name, more, neuron.value, (neuron.layer, neuron.index) in common)


def _steps(found: Reactions) -> tuple[str, ...]:
    return (
        "Pairs: of every seed that a method broke, the seed and the finding with the smallest L2 change.",
        "Noise of the same size: the same amounts of change, shuffled over the input, with random signs; where a value "
        "would leave its range, the sign turns.",
        f"A neuron reacts if its {printable(str(found.reaction['name']))} exceeds {significant(found.threshold)} "
        f"{unit(found)}. Shares are means over pairs; the strongest neurons are those with the largest mean.",
    )


def _terms(found: Reactions) -> tuple[tuple[str, str, str], ...]:
    meanings = (
        (
            "sensitivity",
            "Sensitivity",
            "How far a neuron\u2019s value moves when the input is changed; with the scale spread, in units of its own "
            "standard deviation over ordinary inputs.",
        ),
        (
            "blame",
            "To blame",
            "A neuron\u2019s Shapley value: its part in the change of the loss, in nats. The values of all neurons "
            "add up to the change of the loss, or nearly.",
        ),
        (
            "overlap",
            "Overlap",
            "Neurons among the strongest of both methods, divided by those of either (Jaccard): 1 if they are the "
            "same, 0 if none is shared.",
        ),
    )
    own = "sensitivity" if found.reaction["name"] == "sensitivity" else "blame"
    return tuple(one for one in meanings if one[0] in (own, "overlap"))
