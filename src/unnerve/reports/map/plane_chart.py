"""The plane of confidence and uncertainty, as plotly's JSON."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from unnerve.core.patterns import Thresholds
from unnerve.reports.map.inputs import ShownInput
from unnerve.reports.map.markers import Marker, markers, plotly_marker
from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["PATTERN_WORDS", "plane_chart"]

PATTERN_WORDS = {"LL": "unsure, steady", "LH": "unsure, shaky", "HL": "sure, steady", "HH": "sure, shaky"}
"""What the patterns mean: confidence first, then uncertainty."""

_EDGE = (-0.045, 1.045)
# Higher than the dots go: the names of the patterns stand there and cover none.
_HEIGHT = (-0.12, 1.12)
_BINS = 20
_PLANE = (0.0, 0.87)
_MARGIN = (0.885, 1.0)


def plane_chart(found: UncertaintyMap, inputs: Sequence[ShownInput]) -> Chart:
    """Draw PCS against VRO: a dot per shown input, bars at the edges that count all of them.

    Returns
    -------
    dict
        ``meta`` of a trace is its kind (``dots``, ``bars``, ``chosen``) and its group; ``customdata`` of a dot is the
        place of its input; ``name`` of an annotation is its pattern.
    """
    figure = go.Figure(layout=layout(height=620))
    every = markers(found.groups)
    size, opacity = (9, 0.75) if len(inputs) <= 300 else (7, 0.6) if len(inputs) <= 1000 else (6, 0.45)
    for place, (name, marker) in enumerate(zip(found.groups, every, strict=True)):
        rows = [row for row, one in enumerate(inputs) if one.group == place]
        figure.add_scatter(
            x=[inputs[row].x for row in rows],
            y=[inputs[row].y for row in rows],
            customdata=rows,
            mode="markers",
            name=label(name, 40),
            meta={"kind": "dots", "group": place},
            marker=plotly_marker(marker, size) | {"opacity": opacity},
            unselected={"marker": {"opacity": 0.1}},
            # Not "skip": the page draws its own hints, and plotly tells it nothing of dots that are skipped.
            hoverinfo="none",
        )
    for place, marker in enumerate(every):
        _add_bars(figure, found, place, marker)
    ring = {"size": 2 * size + 4, "color": light("ink"), "symbol": "circle-open", "line": {"width": 2.5}}
    line = {"color": light("ink"), "width": 1.2}
    chosen = {"mode": "lines+markers", "marker": ring, "line": line, "hoverinfo": "skip", "meta": {"kind": "chosen"}}
    figure.add_scatter(x=[], y=[], **chosen)
    _add_quadrants(figure, found.thresholds)
    _set_axes(figure)
    return plotly_json(figure)


def _add_bars(figure: go.Figure, found: UncertaintyMap, place: int, marker: Marker) -> None:
    """Count the inputs of a group along both edges: all of them, not only those that are shown."""
    group = list(found.groups.values())[place]
    pcs = group.figures["pcs"][np.isfinite(group.figures["pcs"])]
    vro = group.figures["vro"][np.isfinite(group.figures["vro"])]
    along = np.bincount(np.clip((pcs * _BINS).astype(int), 0, _BINS - 1), minlength=_BINS)
    # Each bar holds equally many of the values k / T that VRO can take: equal widths would make a comb.
    step = -(-(found.draws + 1) // _BINS)
    bins = -(-(found.draws + 1) // step)
    # Counted as whole draws: k / T times T may fall just short of k, and into the bar before.
    across = np.bincount(np.rint(vro * found.draws).astype(int) // step, minlength=bins)
    centres = (np.arange(bins) * step + (step - 1) / 2) / found.draws
    name = label(group.name, 40)
    filling = {"color": light(marker.colour), "pattern": {"shape": "/" if marker.hollow else "", "size": 4}}
    common = {"marker": filling, "meta": {"kind": "bars", "group": place}, "name": name}
    common["hovertemplate"] = "%{hovertext}<extra></extra>"
    figure.add_bar(
        x=(np.arange(_BINS) + 0.5) / _BINS,
        y=along,
        width=0.94 / _BINS,
        yaxis="y2",
        hovertext=[f"{name}: {n:,} with PCS {i / _BINS:g} to {(i + 1) / _BINS:g}" for i, n in enumerate(along)],
        **common,
    )
    figure.add_bar(
        x=across,
        y=centres,
        width=0.94 * step / found.draws,
        orientation="h",
        xaxis="x2",
        hovertext=[
            f"{name}: {n:,} with VRO {i * step / found.draws:.3g} to {min(1, ((i + 1) * step - 1) / found.draws):.3g}"
            for i, n in enumerate(across)
        ],
        **common,
    )


def _add_quadrants(figure: go.Figure, limits: Thresholds) -> None:
    """Shade the four patterns and write their names, which can be clicked."""
    sides = {"L": (_EDGE[0], limits.low_confidence), "H": (limits.high_confidence, _EDGE[1])}
    heights = {"L": (_HEIGHT[0], limits.low_uncertainty), "H": (limits.high_uncertainty, _HEIGHT[1])}
    for first, (left, right) in sides.items():
        for second, (bottom, top) in heights.items():
            figure.add_shape(
                type="rect",
                x0=left,
                x1=right,
                y0=bottom,
                y1=top,
                layer="below",
                fillcolor=light("band"),
                opacity=0.55,
                line={"width": 0},
            )
            figure.add_annotation(
                name=first + second,
                text=f"<b>{PATTERN_WORDS[first + second]}</b> {first}{second}",
                x=left,
                y=top if second == "H" else bottom,
                xanchor="left",
                yanchor="top" if second == "H" else "bottom",
                xshift=4,
                yshift=-4 if second == "H" else 4,
                showarrow=False,
                captureevents=True,
                bgcolor=light("card"),
                bordercolor=light("strong-line"),
                borderpad=3,
                font={"color": light("ink")},
            )
    border = {"color": light("strong-line"), "width": 1.2, "dash": "dash"}
    for value in (limits.low_confidence, limits.high_confidence):
        figure.add_shape(type="line", x0=value, x1=value, y0=_HEIGHT[0], y1=_HEIGHT[1], line=border, layer="between")
    for value in (limits.low_uncertainty, limits.high_uncertainty):
        figure.add_shape(type="line", x0=_EDGE[0], x1=_EDGE[1], y0=value, y1=value, line=border, layer="between")


def _set_axes(figure: go.Figure) -> None:
    plane = {"domain": list(_PLANE), "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    figure.update_layout(
        xaxis={**plane, "range": list(_EDGE), "title": {"text": "confidence: lead over the second class (PCS)"}},
        yaxis={
            **plane,
            "range": list(_HEIGHT),
            "title": {"text": "uncertainty: answers that change under dropout (VRO)"},
        },
        xaxis2=_counting("y"),
        yaxis2=_counting("x"),
        barmode="stack",
        showlegend=False,
        uirevision="plane",
    )


def _counting(anchor: str) -> Chart:
    return {
        "domain": list(_MARGIN),
        "anchor": anchor,
        "showgrid": False,
        "zeroline": False,
        "nticks": 3,
        "tickangle": 0,
        "tickformat": "~s",
        "fixedrange": True,
        "rangemode": "tozero",
        "tickfont": {"size": 10},
    }
