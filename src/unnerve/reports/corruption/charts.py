"""The charts of the page on natural changes, as plotly's JSON."""

import math

import plotly.graph_objects as go

from unnerve.reports.corruption.verdict import by_harm, change_name
from unnerve.reports.parts.numbers import percent
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.corrupt.result import Corruption

__all__ = ["lines_chart", "table_chart"]

_ASIDE = 0.05
# A shorter piece than this is not worth an axis that does not begin at 0.
_CUT = 0.2


def lines_chart(found: Corruption) -> Chart:
    """Draw accuracy against severity of the most harmful changes, with their intervals, from no change on."""
    figure = go.Figure(layout=layout(height=420))
    places, shown = [0, *found.severities], by_harm(found)[: len(LINES)]
    lowest = 1.0
    # Not strict: as many changes as there are colours, for more lines could not be told apart; the table has them all.
    for place, ((colour, dash), change) in enumerate(zip(LINES, shown, strict=False)):
        ends = [found.accuracy, *(found.at(change, severity) for severity in found.severities)]
        lowest = min(lowest, *(one.low for one in ends))
        # Side by side, for whiskers one over the other cannot be told apart.
        aside = _ASIDE * (place - (len(shown) - 1) / 2)
        figure.add_scatter(
            x=[where + aside for where in places],
            y=[one.mean for one in ends],
            customdata=places,
            name=label(change_name(change), 40),
            mode="lines+markers",
            line={"color": light(colour), "dash": dash, "width": 2},
            error_y={
                "array": [one.high - one.mean for one in ends],
                "arrayminus": [one.mean - one.low for one in ends],
                "color": light(colour),
                "thickness": 1,
                "width": 3,
            },
            hovertemplate=f"{label(change_name(change), 40)}, severity %{{customdata}}: %{{y:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="severity; 0 is no change", tickvals=places)
    bottom = _bottom(lowest)
    cut = f" (from {percent(bottom)})" if bottom else ""
    title = ("accuracy" if found.labelled else "answers kept") + cut
    figure.update_yaxes(title_text=title, tickformat="~p", range=[bottom, 1.02])
    figure.update_layout(showlegend=True)
    return plotly_json(figure)


def _bottom(lowest: float) -> float:
    """Return where the axis begins: a tenth below what happens, or at 0 if that is near."""
    begin = math.floor(10 * lowest - 0.5) / 10
    return begin if begin >= _CUT else 0.0


def table_chart(found: Corruption) -> Chart:
    """Draw the accuracy of every change and severity as a shaded table, the most harmful change first."""
    order = by_harm(found)
    shares = [[found.at(change, severity).mean for severity in found.severities] for change in order]
    figure = go.Figure(layout=layout(height=120 + 30 * len(order)))
    figure.add_heatmap(
        z=[[1 - share for share in row] for row in shares],
        x=[f"severity {severity}" for severity in found.severities],
        y=[label(change_name(change), 40) for change in order],
        zmin=0,
        zmax=2,  # half of the scale, so that the figures can be read
        text=[[percent(share) for share in row] for row in shares],
        texttemplate="%{text}",
        textfont={"color": light("ink")},
        colorscale=[[0, light("card")], [1, light("bad")]],
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y}, %{x}: %{text}<extra></extra>",
    )
    figure.update_xaxes(showgrid=False, type="category", title_text="", side="top")
    # Plotly counts categories from below; the most harmful change belongs at the top.
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False)
    return plotly_json(figure)
