"""The chart of what was found by the time so much was spent, as plotly's JSON."""

import math
from typing import Any

import plotly.graph_objects as go

from unnerve.reports.campaign.curves import Curve
from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json

__all__ = ["BANDED", "log_ticks", "query_curves_chart"]

# More bands than this cover each other, and the lines with them.
BANDED = 3

_TICKS = 8

_HEIGHTS = {
    "seeds_broken": "seeds that fail (% of seeds)",
    "error_categories": "kinds of errors (mean per seed)",
    "errors": "errors (mean per seed)",
}


def query_curves_chart(curves: tuple[Curve, ...], figure: str, over: str) -> Chart:
    """Draw what each method has found by the time so much was spent, with bands.

    Parameters
    ----------
    curves : tuple of Curve
    figure : str
        ``seeds_broken``, ``error_categories`` or ``errors``.
    over : str
        ``queries`` or ``seconds``, per seed.
    """
    drawn = go.Figure(layout=layout(height=360))
    shares = figure == "seeds_broken"
    form = ".3~p" if shares else ".3~r"
    for place, curve in enumerate(curves):
        hue = LINES[place % len(LINES)][0]
        # In the second round of colours dashes move on by one, so that no two lines have both in common.
        dash = LINES[(place + place // len(LINES)) % len(LINES)][1]
        x: list[Any] = curve.queries if over == "queries" else curve.seconds
        low, high, name = curve.low[figure], curve.high[figure], plain(curve.label)
        band = {"legendgroup": name, "showlegend": False, "hoverinfo": "skip", "mode": "lines"}
        # In steps: what was found stays as it is until something more is.
        edge = {"width": 0, "shape": "hv"}
        if place < BANDED:
            drawn.add_scatter(x=x, y=high, line=edge, **band)
            drawn.add_scatter(x=x, y=low, line=edge, fill="tonexty", fillcolor=light(f"{hue}-band"), **band)
        hover = f"{name}: %{{y:{form}}} (%{{customdata[0]:{form}}} to %{{customdata[1]:{form}}})"
        hover += f"<br>after %{{x:.3~r}} {over} per seed<extra></extra>"
        drawn.add_scatter(
            x=x,
            y=curve.means[figure],
            mode="lines",
            name=name,
            legendgroup=name,
            line={"color": light(hue), "dash": dash, "width": 2, "shape": "hv"},
            customdata=[list(ends) for ends in zip(low, high, strict=True)],
            hovertemplate=hover,
        )
    unit = "queries per seed" if over == "queries" else "seconds per seed (queries \u00d7 mean time of one)"
    spent = [value for curve in curves for value in (curve.queries if over == "queries" else curve.seconds)]
    ticks = log_ticks(min((value for value in spent if value > 0), default=1), max(spent, default=1))
    texts = [significant(value) for value in ticks]
    drawn.update_xaxes(title_text=unit, type="log", tickmode="array", tickvals=ticks, ticktext=texts)
    drawn.update_yaxes(title_text=_HEIGHTS[figure], rangemode="tozero", tickformat="~p" if shares else None)
    if shares:
        # A little above 100 %, or the frame would cut off half of a line that lies there.
        drawn.update_yaxes(range=[0, 1.03])
    drawn.update_layout(showlegend=len(curves) > 1)
    return plotly_json(drawn)


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten between two values, or, where these are many, fewer of each decade."""
    # Plotly writes 20 and 50 as 2 and 5, in smaller type, which is read as two and five.
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(max(low, high))) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [
            float(f"{step}e{power}") for power in powers for step in steps if low <= float(f"{step}e{power}") <= high
        ]
        if len(ticks) <= _TICKS:
            break
    return ticks
