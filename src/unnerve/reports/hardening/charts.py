"""The chart of a hardening: each figure before and after, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.harden.result import Hardening
from unnerve.studies.intervals.interval import Interval

__all__ = ["shares_chart"]


def shares_chart(found: Hardening) -> Chart:
    """Draw all shares before and after, one line each, with their 95 % intervals."""
    rows = {name: one for name, one in found.rows().items() if one is not found.clever}
    names = [label(name, 40) for name in rows]
    figure = go.Figure(layout=layout(height=130 + 34 * len(rows)))
    sides = (("before", "two", "circle-open"), ("after", "one", "circle"))
    for side, colour, symbol in sides:
        parts: list[Interval] = [getattr(one, side) for one in rows.values()]
        figure.add_scatter(
            x=[part.mean for part in parts],
            y=names,
            mode="markers",
            name=side,
            marker={"color": light(colour), "symbol": symbol, "size": 11, "line": {"width": 2, "color": light(colour)}},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [part.high - part.mean for part in parts],
                "arrayminus": [part.mean - part.low for part in parts],
                "color": light(colour),
                "thickness": 1.5,
                "width": 4,
            },
            hovertemplate=f"%{{y}}, {side}: %{{x:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="share of the inputs", tickformat="~p", range=[-0.02, 1.02])
    figure.update_yaxes(autorange="reversed", type="category", title_text="")
    # Beside each other: on one line the intervals before and after would cover each other.
    figure.update_layout(showlegend=True, scattermode="group", scattergap=0.5)
    return plotly_json(figure)
