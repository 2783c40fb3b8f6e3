"""All figures on reactions, as cells that can be shown and sorted."""

from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, significant
from unnerve.reports.parts.tables import Cell, Table
from unnerve.reports.reactions.words import unit
from unnerve.studies.react.result import Neuron, Reactions

__all__ = ["layer_table", "neuron_table"]


def layer_table(found: Reactions) -> Table:
    """Return the share of each layer's neurons that react, by method, beside noise of the same size."""
    columns = [("layer", ""), ("neurons", "")]
    for method, one in found.methods.items():
        name = display_name(method, 40)
        columns += [(name, f"neurons that react, {count(one.pairs, 'pairs')}"), ("noise", f"as large as {name}")]
    by_method = [(found.layer_shares(method), found.layer_shares(method, noise=True)) for method in found.methods]
    rows = [
        (
            Cell(display_name(layer.name, 60), f"layer {place + 1}", place),
            Cell(count(layer.count), key=layer.count),
            *(_share(one[layer.name]) for pair in by_method for one in pair),
        )
        for place, layer in enumerate(found.neurons.layers)
    ]
    whole = [_share(found.share(method, noise)) for method in found.methods for noise in (False, True)]
    rows.append((Cell("all", key=len(rows)), Cell(count(len(found.neurons)), key=len(found.neurons)), *whole))
    return Table("Share of each layer\u2019s neurons that react", tuple(columns), tuple(rows))


def neuron_table(found: Reactions) -> Table:
    """Return the neurons that react most, by method; marked if all methods share them."""
    strongest = {method: found.strongest(method) for method in found.methods}
    places = {method: {(one.layer, one.index) for one in some} for method, some in strongest.items()}
    common = set.intersection(*places.values()) if len(places) > 1 else set()
    columns = (("place", ""), *((display_name(method, 40), f"mean, {unit(found)}") for method in strongest))
    rows = tuple(
        (Cell(str(place + 1), key=place), *(_neuron(some[place], common) for some in strongest.values()))
        for place in range(found.count)
    )
    return Table(f"The {found.count} neurons that react most", columns, rows)


def _neuron(neuron: Neuron, common: set[tuple[str, int]]) -> Cell:
    name = f"{display_name(neuron.layer, 40)} {neuron.index}"
    more = f"{significant(neuron.value)}; in {percent(neuron.share)} of the pairs"
    return Cell(name, more, neuron.value, (neuron.layer, neuron.index) in common)


def _share(value: float) -> Cell:
    return Cell(percent(value), key=value)
