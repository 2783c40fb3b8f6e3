"""A paper's own figures, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.parts.palette import CLASSES, LINES, light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json
from unnerve.studies.reproduction import Figure, Series

__all__ = ["figure_chart", "is_wide"]

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_MANY_BARS = 20


def is_wide(figure: Figure) -> bool:
    """Say whether a figure needs the width of the page: one with so many bars that they would be hairs."""
    return sum(len(series.x) for series in figure.series if series.kind == "bars") > _MANY_BARS


def figure_chart(figure: Figure) -> Chart:
    """Draw a paper's figure: lines, points or bars, each with its intervals if it has any."""
    drawn = go.Figure(layout=layout(height=340))
    for place, series in enumerate(figure.series):
        # Dashes and symbols beside hues: printed in grey, series must still be told apart.
        hue, (_, dash) = CLASSES[place % len(CLASSES)], LINES[place % len(LINES)]
        common = {
            "x": series.x,
            "y": series.y,
            "name": plain(series.name),
            "error_y": _reach(series, "ink" if series.kind == "bars" else hue),
        }
        if series.kind == "bars":
            drawn.add_bar(marker={"color": light(hue)}, **common)
        elif series.kind == "points":
            marker = {"color": light(hue), "size": 6, "opacity": 0.6, "symbol": _SYMBOLS[place % len(_SYMBOLS)]}
            drawn.add_scatter(mode="markers", marker=marker, **common)
        else:
            drawn.add_scatter(mode="lines+markers", line={"color": light(hue), "dash": dash, "width": 2}, **common)
    drawn.update_xaxes(title_text=plain(figure.x))
    if any(series.kind == "bars" for series in figure.series):
        drawn.update_xaxes(type="category")  # or words that look like numbers would be placed as such
    drawn.update_yaxes(title_text=plain(figure.y))
    drawn.update_layout(showlegend=True, barmode="group")
    return plotly_json(drawn)


def _reach(series: Series, hue: str) -> Chart | None:
    if series.ci95 is None:
        return None
    above = [high - y for (_, high), y in zip(series.ci95, series.y, strict=True)]
    below = [y - low for (low, _), y in zip(series.ci95, series.y, strict=True)]
    return {"type": "data", "array": above, "arrayminus": below, "color": light(hue), "thickness": 1, "width": 3}
