"""The charts of the page on natural changes, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.corruption.verdict import by_harm, change_name
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.corrupt.result import Corruption

__all__ = ["lines_chart", "table_chart"]


def lines_chart(found: Corruption) -> Chart:
    """Draw accuracy against severity of the most harmful changes, with their intervals, from no change on."""
    figure = go.Figure(layout=layout(height=420))
    places = [0, *found.severities]
    for (colour, dash), change in zip(LINES, by_harm(found), strict=False):
        ends = [found.accuracy, *(found.at(change, severity) for severity in found.severities)]
        figure.add_scatter(
            x=places,
            y=[one.mean for one in ends],
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
            hovertemplate=f"{label(change_name(change), 40)}, severity %{{x}}: %{{y:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="severity; 0 is no change", tickvals=places)
    figure.update_yaxes(title_text="accuracy" if found.labelled else "answers kept", tickformat="~p", range=[0, 1.03])
    figure.update_layout(showlegend=True)
    return plotly_json(figure)


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
        text=[[f"{100 * share:.1f} %" for share in row] for row in shares],
        texttemplate="%{text}",
        textfont={"color": light("ink")},
        colorscale=[[0, light("card")], [1, light("bad")]],
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y}, %{x}: %{text}<extra></extra>",
    )
    figure.update_xaxes(showgrid=False, type="category", title_text="", side="top")
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False)
    return plotly_json(figure)
