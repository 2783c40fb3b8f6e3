"""The chart of what findings add to coverage, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.campaign.coverage import CoverageBars
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json

__all__ = ["coverage_chart"]


def coverage_chart(bars: CoverageBars) -> Chart:
    """Draw the coverage of the seeds alone and with the findings of each method, side by side for every criterion."""
    figure = go.Figure(layout=layout(height=340))
    for place, (name, shares) in enumerate(bars.shares):
        colour = "strong-line" if place == 0 else LINES[(place - 1) % len(LINES)][0]
        figure.add_bar(
            x=[plain(key) for key in bars.criteria],
            y=list(shares),
            name=plain(name),
            marker={"color": light(colour)},
            hovertemplate=f"%{{x}}, {plain(name)}: %{{y:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="criterion", showgrid=False)
    figure.update_yaxes(title_text="covered", tickformat="~p", rangemode="tozero")
    figure.update_layout(barmode="group", bargap=0.25, bargroupgap=0.05)
    return plotly_json(figure)
