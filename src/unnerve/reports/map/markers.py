"""The markers of a map's groups: a colour and a shape for every attack, hollow for its smallest findings."""

from collections.abc import Iterable
from dataclasses import dataclass

from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart

__all__ = ["Marker", "markers", "plotly_marker"]

_SHAPES = {
    "circle": "M8 3a5 5 0 1 0 .01 0z",
    "square": "M3.5 3.5h9v9h-9z",
    "diamond": "M8 2l6 6-6 6-6-6z",
    "triangle-up": "M8 2.5l6 10.5H2z",
    "triangle-down": "M8 13.5L2 3h12z",
    "cross": "M6 2h4v4h4v4h-4v4H6v-4H2V6h4z",
    "star": "M8 1.6l1.9 4 4.4.5-3.3 3 .9 4.3L8 11.3l-3.9 2.1.9-4.3-3.3-3 4.4-.5z",
    "pentagon": "M8 2l5.7 4.15-2.2 6.7h-7L2.3 6.15z",
    "hexagon": "M8 2l5.2 3v6L8 14l-5.2-3V5z",
}
"""Names of plotly's symbols, and the same shapes for a legend, in a square of 16 by 16."""


@dataclass(frozen=True)
class Marker:
    """How the dots of a group are drawn.

    Parameters
    ----------
    colour : str
        Name in the palette.
    symbol : str
        Plotly's name of the shape.
    path : str
        The shape as an SVG path in a square of 16 by 16.
    hollow : bool
        Only its outline is drawn.
    """

    colour: str
    symbol: str
    path: str
    hollow: bool


def markers(groups: Iterable[str]) -> tuple[Marker, ...]:
    """Return the markers of groups by their names, the benign one first: no two of the first 80 are alike."""
    families: dict[str, int] = {}
    return tuple(_marker(families.setdefault(_family(name), len(families)), name) for name in groups)


def plotly_marker(marker: Marker, size: int) -> Chart:
    """Return a marker in plotly's settings."""
    return {
        "color": light(marker.colour),
        "symbol": marker.symbol,
        "size": size,
        "line": {"width": 1.5 if marker.hollow else 0},
    }


def _family(name: str) -> str:
    """Return the attack of a group."""
    return name.removesuffix(", smallest").removesuffix(", strongest")


def _marker(place: int, name: str) -> Marker:
    hollow = name.endswith(", smallest")
    # Five colours and eight shapes have no common divisor, so that their pairs repeat after forty only.
    colour = LINES[place % len(LINES)][0] if place == 0 else LINES[1 + (place - 1) % (len(LINES) - 1)][0]
    # The benign group keeps blue and the circle for itself.
    symbol = "circle" if place == 0 else list(_SHAPES)[1 + (place - 1) % (len(_SHAPES) - 1)]
    return Marker(colour, f"{symbol}-open" if hollow else symbol, _SHAPES[symbol], hollow)
