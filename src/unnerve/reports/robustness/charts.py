"""The chart of the page on robustness, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.reports.robustness.words import by_attack, measure_name, norm
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.score.result import Robustness

__all__ = ["robustness_chart"]

_MOST = 40


def robustness_chart(found: Robustness) -> Chart:
    """Draw the success of every attack and on every class, or how scores are spread."""
    return _shares(found) if by_attack(found) else _scores(found)


def _shares(found: Robustness) -> Chart:
    rows = [("any attack", found.mean, "bad")]
    for kind, colour in (("attack", "bad"), ("class", "strong-line")):
        some = sorted(found.parts.get(kind, {}).items(), key=lambda one: -one[1].mean)[:_MOST]
        rows += [(f"{kind} {label(name, 30)}", share, colour) for name, share in some]
    names = [name for name, _, _ in rows]
    shares: list[Interval] = [share for _, share, _ in rows]
    figure = go.Figure(layout=layout(height=90 + 30 * len(rows)))
    figure.add_bar(
        orientation="h",
        y=names,
        x=[one.mean for one in shares],
        marker={"color": [light(colour) for _, _, colour in rows]},
        error_x={
            "type": "data",
            "array": [one.high - one.mean for one in shares],
            "arrayminus": [one.mean - one.low for one in shares],
            "color": light("ink"),
            "thickness": 1,
            "width": 3,
        },
        hovertemplate="%{y}: %{x:.3~p}<extra></extra>",
    )
    figure.update_xaxes(title_text="inputs that are broken", tickformat="~p", range=[0, 1.02])
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False, bargap=0.35)
    return plotly_json(figure)


def _scores(found: Robustness) -> Chart:
    """Draw one mark for each input, in the order of the scores: a histogram of a few would show its bins only."""
    order = sorted(found.scored, key=lambda one: one.value)
    places = [(place + 1) / len(order) for place in range(len(order))]
    figure = go.Figure(layout=layout(height=340))
    figure.add_scatter(
        x=[one.value for one in order],
        y=places,
        mode="lines+markers",
        line={"shape": "hv", "color": light("accent"), "width": 1.5},
        marker={"color": light("accent"), "size": 6},
        text=[label(one.id, 40) for one in order],
        hovertemplate="input %{text}: %{x:.3~r}<extra></extra>",
    )
    figure.update_xaxes(title_text=f"{measure_name(found)} score ({norm(found)})", rangemode="tozero")
    figure.update_yaxes(title_text="inputs with at most this score", tickformat="~p", range=[0, 1.03])
    figure.update_layout(showlegend=False)
    return plotly_json(figure)
