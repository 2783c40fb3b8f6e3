"""Which neurons react, in a few lines for a terminal."""

from pathlib import Path

from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, duration, percent, significant
from unnerve.reports.parts.text_table import aligned
from unnerve.reports.reactions.next_step import next_step
from unnerve.reports.reactions.words import reaction_name, unit
from unnerve.studies.react.result import Reactions

__all__ = ["reactions_text"]

_LAYERS = 12
_SHOWN = 5


def reactions_text(found: Reactions, report: str | Path | None = None) -> str:
    """Tell the same in plain text."""
    lines = [
        *([] if found.accuracy is None else found.accuracy.lines()),
        f"{display_name(found.model, 60)}, {reaction_name(found.reaction)} above {significant(found.threshold)} "
        f"{unit(found)}: {count(len(found.neurons), 'neurons')} ({display_name(found.neurons.chosen_by, 40)})",
        "Neurons that react to errors (to noise of the same size):",
        "",
        *_layers(found),
        "",
        f"Strongest neurons (layer, number), {_SHOWN} of {found.count}:",
        *(f"  {display_name(method, 30)}: {_strongest(found, method)}" for method in found.methods),
    ]
    if len(found.methods) > 1:
        lines += [
            "",
            f"Shared among the {found.count} strongest (by chance {percent(found.chance)}):",
            *_overlap(found),
        ]
    if found.nothing:
        lines += ["", f"Nothing was found by {', '.join(display_name(name, 30) for name in found.nothing)}."]
    lines += ["", f"Measured in {duration(found.seconds)}."]
    lines += [f"Report: {printable(str(report))}"] if report is not None else []
    return "\n".join(lines + ([f"Next: {following}"] if (following := next_step(found).command) else []))


def _layers(found: Reactions) -> list[str]:
    shares = {method: [found.layer_shares(method, noise) for noise in (False, True)] for method in found.methods}
    rows = [("layer", *(f"{display_name(method, 30)} ({one.pairs})" for method, one in found.methods.items()))]
    layers = found.neurons.layers
    rows += [
        (
            display_name(layer.name, 30),
            *(_both(*(one[layer.name] for one in both)) for both in shares.values()),
        )
        for layer in (layers if len(layers) <= _LAYERS else ())
    ]
    rows.append(("all", *(_both(found.share(method), found.share(method, noise=True)) for method in shares)))
    return aligned(rows)


def _both(errors: float, noise: float) -> str:
    return f"{percent(errors)} ({percent(noise)})"


def _strongest(found: Reactions, method: str) -> str:
    some = found.strongest(method)[:_SHOWN]
    return ", ".join(f"{printable(one.layer)} {one.index} ({significant(one.value)})" for one in some)


def _overlap(found: Reactions) -> list[str]:
    rows = [("", *(display_name(method, 30) for method in found.methods))]
    rows += [
        (display_name(one, 30), *(percent(found.overlap(one, other)) for other in found.methods))
        for one in found.methods
    ]
    return aligned(rows)
