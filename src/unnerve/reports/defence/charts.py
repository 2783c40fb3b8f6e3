"""The charts of the page on defences, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.core.patterns import Thresholds
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.defend.result import ADAPTIVE, ATTACKED, CLEAN, UNCOMMON, Defended

__all__ = ["bars_chart", "plane_chart"]


def bars_chart(found: Defended) -> Chart:
    """Draw the success of every defence on clean, attacked and uncommon inputs, and against attacks that know it."""
    names = found.defences
    figure = go.Figure(layout=layout(height=150 + 62 * len(names)))
    kinds = ((CLEAN, "one"), (ATTACKED, "two"), (UNCOMMON, "four"), (ADAPTIVE, "six"))
    for kind, colour in kinds:
        rows = [found.over(name, kind) for name in names]
        shown = [(name, row.share) for name, row in zip(names, rows, strict=True) if row is not None]
        if not shown:
            continue
        figure.add_bar(
            y=[label(name, 40) for name, _ in shown],
            x=[share.mean for _, share in shown],
            name=kind,
            orientation="h",
            marker={"color": light(colour)},
            error_x={
                "array": [share.high - share.mean for _, share in shown],
                "arrayminus": [share.mean - share.low for _, share in shown],
                "color": light("ink"),
                "thickness": 1,
                "width": 3,
            },
            hovertemplate=f"%{{y}}, {kind}: %{{x:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="inputs that it gets right", tickformat="~p", range=[0, 1.03])
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=True, barmode="group", bargap=0.25, legend={"traceorder": "normal"})
    return plotly_json(figure)


def plane_chart(found: Defended) -> Chart:
    """Draw the uncommon inputs by confidence and uncertainty; crosses have wrong answers."""
    figure = go.Figure(layout=layout(height=460))
    # The paper's thresholds, as in the campaigns that found these inputs; between them an input has no pattern.
    limits = Thresholds()
    for low, high, axis in (
        (limits.low_confidence, limits.high_confidence, "x"),
        (limits.low_uncertainty, limits.high_uncertainty, "y"),
    ):
        other = "y" if axis == "x" else "x"
        figure.add_shape(
            type="rect",
            fillcolor=light("band"),
            line={"width": 0},
            layer="below",
            **{f"{axis}0": low, f"{axis}1": high, f"{other}0": 0, f"{other}1": 1},
        )
    # The colours in turn: every method of every campaign of a pattern is a group, and these may be more than colours.
    for (colour, _), one in zip(LINES * 3, (one for one in found.shown if one.pcs), strict=False):
        figure.add_scatter(
            x=list(one.pcs),
            y=list(one.vro),
            name=label(one.group, 40),
            mode="markers",
            marker={
                "color": light(colour),
                "size": 8,
                "opacity": 0.75,
                "symbol": ["x" if wrong else "circle" for wrong in one.wrong],
            },
            hovertemplate=f"{label(one.group, 40)}: PCS %{{x:.2f}}, VRO %{{y:.2f}}<extra></extra>",
        )
    figure.update_xaxes(title_text="confidence, PCS", range=[-0.02, 1.02])
    figure.update_yaxes(title_text="uncertainty, VRO", range=[-0.02, 1.02])
    figure.update_layout(showlegend=True)
    return plotly_json(figure)
