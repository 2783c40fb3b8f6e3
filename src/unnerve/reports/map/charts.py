"""The charts of a map beside its plane, as plotly's JSON: AUC by metric, VRO by draws."""

import plotly.graph_objects as go

from unnerve.reports.map.markers import markers, plotly_marker
from unnerve.reports.map.verdict import Areas
from unnerve.reports.parts.numbers import between, significant
from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["auc_chart", "stability_chart"]


def auc_chart(found: UncertaintyMap, areas: Areas) -> Chart:
    """Draw the AUC of every metric for every attack, with its interval."""
    figure = go.Figure(layout=layout(height=150 + len(METRICS) * (26 + 10 * len(areas))))
    every = dict(zip(found.groups, markers(found.groups), strict=True))
    for place, (name, by) in enumerate(areas.items()):
        step = 0.7 / len(areas)
        means = [by[metric].mean for metric in METRICS]
        reach = {
            "type": "data",
            "array": [by[metric].high - by[metric].mean for metric in METRICS],
            "arrayminus": [by[metric].mean - by[metric].low for metric in METRICS],
            "color": light(every[name].colour),
            "thickness": 1.2,
            "width": 3,
        }
        figure.add_scatter(
            x=means,
            y=[row - 0.35 + (place + 0.5) * step for row in range(len(METRICS))],
            mode="markers",
            name=label(name, 40),
            marker=plotly_marker(every[name], 8),
            error_x=reach,
            text=[
                f"{METRICS[metric]}, {label(name, 40)}: {significant(by[metric].mean)} ({between(*by[metric].ci95)})"
                for metric in METRICS
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    ticks = [f"<b>{short}</b>" for short in METRICS.values()]
    figure.update_yaxes(
        tickvals=list(range(len(METRICS))), ticktext=ticks, range=[len(METRICS) - 0.5, -0.5], showgrid=False
    )
    lowest = min(one.low for by in areas.values() for one in by.values())
    # Chance is always in the picture: an axis that began above it would make a useless metric look good.
    figure.update_xaxes(title_text="AUC (0.5 = chance, 1 = no mistake)", range=[min(0.45, lowest - 0.03), 1.02])
    figure.add_vline(x=0.5, line={"color": light("strong-line"), "width": 1.5, "dash": "dot"})
    for row in range(1, len(METRICS)):
        figure.add_hline(y=row - 0.5, line={"color": light("line"), "width": 1})
    figure.update_layout(showlegend=True)
    return plotly_json(figure)


def stability_chart(found: UncertaintyMap) -> Chart | None:
    """Draw how far VRO after fewer draws lies from the final one, group by group; None if there were too few."""
    apart = {name: by for name, by in found.stability().items() if by}
    if not apart:
        return None
    figure = go.Figure(layout=layout(height=360))
    every = dict(zip(found.groups, markers(found.groups), strict=True))
    for name, by in apart.items():
        figure.add_scatter(
            x=list(by),
            y=list(by.values()),
            mode="lines+markers",
            name=label(name, 40),
            marker=plotly_marker(every[name], 8),
            line={"color": light(every[name].colour), "width": 1.5},
            text=[f"{label(name, 40)}, after {step} draws: {significant(far)}" for step, far in by.items()],
            hovertemplate="%{text}<extra></extra>",
        )
    figure.update_xaxes(title_text="draws", tickvals=sorted({step for by in apart.values() for step in by}))
    figure.update_yaxes(title_text=f"mean distance to VRO after {found.draws}", rangemode="tozero")
    figure.update_layout(showlegend=True)
    return plotly_json(figure)
