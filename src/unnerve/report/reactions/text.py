"""Which neurons react, in a few lines for a terminal."""

from pathlib import Path

from unnerve.report.parts.names import printable, short
from unnerve.report.parts.numbers import count, duration, percent, significant
from unnerve.report.reactions.words import reaction_name, unit
from unnerve.studies.reacted import Reactions

__all__ = ["reactions_text"]

_LAYERS = 12
_SHOWN = 5


def reactions_text(found: Reactions, report: str | Path | None = None) -> str:
    """Tell the same in plain text."""
    lines = [
        f"{short(printable(found.model), 60)}, {reaction_name(found.reaction)} above {significant(found.threshold)} "
        f"{unit(found)}: {count(len(found.neurons), 'neurons')} ({short(printable(found.neurons.chosen_by), 40)})",
        "Neurons that react to errors (to noise of the same size):",
        "",
        *_layers(found),
        "",
        f"Strongest neurons (layer, number), {_SHOWN} of {found.count}:",
        *(f"  {_name(method)}: {_strongest(found, method)}" for method in found.methods),
    ]
    if len(found.methods) > 1:
        lines += [
            "",
            f"Shared among the {found.count} strongest (by chance {percent(found.chance)}):",
            *_overlap(found),
        ]
    if found.nothing:
        lines += ["", f"Nothing was found by {', '.join(map(_name, found.nothing))}."]
    lines += ["", f"Measured in {duration(found.seconds)}."]
    return "\n".join(lines + ([f"Report: {printable(str(report))}"] if report is not None else []))


def _layers(found: Reactions) -> list[str]:
    shares = {method: [found.layer_shares(method, noise) for noise in (False, True)] for method in found.methods}
    rows = [("layer", *(f"{_name(method)} ({one.pairs})" for method, one in found.methods.items()))]
    layers = found.neurons.layers
    rows += [
        (
            short(printable(layer.name), 30),
            *(_both(*(one[layer.name] for one in both)) for both in shares.values()),
        )
        for layer in (layers if len(layers) <= _LAYERS else ())
    ]
    rows.append(("all", *(_both(found.share(method), found.share(method, noise=True)) for method in shares)))
    return _aligned(rows)


def _both(errors: float, noise: float) -> str:
    return f"{percent(errors)} ({percent(noise)})"


def _strongest(found: Reactions, method: str) -> str:
    some = found.strongest(method)[:_SHOWN]
    return ", ".join(f"{printable(one.layer)} {one.index} ({significant(one.value)})" for one in some)


def _overlap(found: Reactions) -> list[str]:
    rows = [("", *map(_name, found.methods))]
    rows += [(_name(one), *(percent(found.overlap(one, other)) for other in found.methods)) for one in found.methods]
    return _aligned(rows)


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _name(method: str) -> str:
    return short(printable(method), 30)
