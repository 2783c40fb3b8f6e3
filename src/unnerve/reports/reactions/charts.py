"""The charts of the page on reactions, as plotly's JSON."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from unnerve.core.neurons import Layer
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.reports.reactions.words import unit
from unnerve.studies.react.result import Reactions

__all__ = ["MOST_BARS", "layers_chart", "layers_charts", "neurons_charts", "overlap_chart"]

# Of more layers than this the bars of several methods are too thin to see: a chart for each method instead.
MOST_BARS = 20
# Bars of more methods than this stand in a row that nobody can follow: a chart for each method, too.
_TOGETHER = 3
_COLUMNS = 60
_NAMED = 60


def layers_charts(found: Reactions) -> list[tuple[str, Chart]]:
    """Draw the share of each layer's neurons that react, few methods and layers in one chart; else each in its own.

    Returns
    -------
    list of (title, chart)
        The title is empty if there is one chart only.
    """
    if len(found.neurons.layers) <= MOST_BARS and len(found.methods) <= _TOGETHER:
        return [("", layers_chart(found))]
    every = [share for method in found.methods for noise in (False, True) for share in _shares(found, method, noise)]
    # One scale for all methods, and at least one per cent: an axis of no height cannot be drawn.
    top = 1.05 * max([*every, 0.01])
    return [
        (label(method, 40), _profile_chart(found, method, LINES[place % len(LINES)][0], top))
        for place, method in enumerate(found.methods)
    ]


def layers_chart(found: Reactions) -> Chart:
    """Draw the share of each layer's neurons that react, by method as bars, with noise of the same size as marks."""
    figure = go.Figure(layout=layout(height=380))
    names = [label(layer.name, 24) for layer in found.neurons.layers]
    for place, method in enumerate(found.methods):
        shown = label(method, 40)
        figure.add_bar(
            x=names,
            y=_shares(found, method, noise=False),
            name=shown,
            hovertemplate=f"%{{x}}, {shown}: %{{y:.3~p}}<extra></extra>",
            marker={"color": light(LINES[place % len(LINES)][0])},
            offsetgroup=method,
        )
        figure.add_scatter(
            x=names,
            y=_shares(found, method, noise=True),
            mode="markers",
            name="noise of the same size",
            legendgroup="noise",
            showlegend=place == 0,
            legendrank=2000,
            offsetgroup=method,
            marker={"symbol": "line-ew-open", "size": 12, "color": light("ink"), "line": {"width": 2}},
            hovertemplate=f"%{{x}}, noise as large as {shown}: %{{y:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="layer, in calling order", showgrid=False, type="category")
    figure.update_yaxes(title_text="neurons that react", tickformat="~p", rangemode="tozero")
    figure.update_layout(barmode="group", scattermode="group", bargap=0.2, showlegend=True)
    return plotly_json(figure)


def _profile_chart(found: Reactions, method: str, colour: str, top: float) -> Chart:
    """Draw one method's shares along the network as a line above that of noise; layers by number, for names overlap."""
    figure = go.Figure(layout=layout(height=250))
    layers = found.neurons.layers
    few = len(layers) <= MOST_BARS
    names = [label(layer.name, 24 if few else 40) for layer in layers]
    places = names if few else list(range(1, len(layers) + 1))
    gap = {"fill": "tonexty", "fillcolor": light(f"{colour}-band")}
    lines: tuple[tuple[str, bool, dict[str, Any], dict[str, Any]], ...] = (
        # Noise first: plotly fills from each line down to the one that was drawn before it.
        ("noise of the same size", True, {"color": light("ink"), "dash": "dot", "width": 1.5}, {}),
        ("errors", False, {"color": light(colour), "width": 2}, gap),
    )
    for name, noise, line, filling in lines:
        figure.add_scatter(
            x=places,
            y=_shares(found, method, noise),
            text=names,
            mode="lines",
            name=name,
            line=line,
            hovertemplate=f"%{{text}}, {name}: %{{y:.3~p}}<extra></extra>"
            if few
            else f"%{{x}} %{{text}}, {name}: %{{y:.3~p}}<extra></extra>",
            **filling,
        )
    if few:
        figure.update_xaxes(title_text="", showgrid=False, type="category")
    else:
        figure.update_xaxes(title_text="layer, by its number", showgrid=False, range=[0.5, len(layers) + 0.5])
    figure.update_yaxes(title_text="neurons that react", tickformat="~p", range=[0, top])
    figure.update_layout(showlegend=True, legend={"traceorder": "reversed"})
    return plotly_json(figure)


def _shares(found: Reactions, method: str, noise: bool) -> list[float]:
    return list(found.layer_shares(method, noise).values())


def neurons_charts(found: Reactions) -> dict[str, Chart]:
    """Draw for every method the neurons of each layer, those that react most first; all with the same colours."""
    every = np.concatenate([one.means.numpy() for one in found.methods.values()])
    # Not the maximum: one extreme neuron would leave all others the same pale colour.
    top = float(np.quantile(np.abs(every), 0.99)) or 1.0
    low = -top if every.min() < 0 else 0.0
    return {method: _sorted_neurons(found, method, (low, top)) for method in found.methods}


def _sorted_neurons(found: Reactions, method: str, ends: tuple[float, float]) -> Chart:
    layers = found.neurons.layers
    rows = [_row(layer, found.methods[method].means.numpy()) for layer in layers]
    # Below 17 pixels a row, plotly leaves out every other name; of a hundred layers that is better than a long page.
    each = 26 if len(layers) <= MOST_BARS else 18 if len(layers) <= _NAMED else 9
    figure = go.Figure(layout=layout(height=120 + each * len(layers)))
    figure.add_heatmap(
        z=[values.tolist() for values, _ in rows],
        text=[
            [f"{label(layer.name, 40)} {index}" for index in order]
            for layer, (_, order) in zip(layers, rows, strict=True)
        ],
        x=[100 * (column + 0.5) / _COLUMNS for column in range(_COLUMNS)],
        y=[f"{_numbered(layers, place)} ({layer.count:,})" for place, layer in enumerate(layers)],
        zmin=ends[0],
        zmax=ends[1],
        colorscale=_scale(ends[0] < 0),
        colorbar={"title": {"text": unit(found), "side": "right"}, "thickness": 14, "outlinewidth": 0},
        hovertemplate="%{text}: %{z:.3~r}<extra></extra>",
        ygap=2 if len(layers) <= MOST_BARS else 1,
    )
    figure.update_xaxes(title_text="neurons of a layer (%),<br>those that react most first", showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False)
    return plotly_json(figure)


def _numbered(layers: Sequence[Layer], place: int) -> str:
    """Return a layer's name; with its number where charts show that instead."""
    name = label(layers[place].name, 24)
    return name if len(layers) <= MOST_BARS else f"{place + 1} {name}"


def _row(layer: Layer, means: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Return a layer's values, sorted and stretched to the columns, and whose they are."""
    own = means[layer.columns]
    # Layers have 6 to 4,096 neurons: stretched to the same width, their shapes can be compared.
    order = np.argsort(-own, kind="stable")[(np.arange(_COLUMNS) * layer.count) // _COLUMNS]
    return own[order], order.tolist()


def overlap_chart(found: Reactions) -> Chart | None:
    """Draw which part of their strongest neurons every two methods share; None if there is only one."""
    if len(found.methods) < 2:
        return None
    names = [label(method, 30) for method in found.methods]
    shares = [[found.overlap(one, other) for other in found.methods] for one in found.methods]
    figure = go.Figure(layout=layout(height=130 + 44 * len(names)))
    figure.add_heatmap(
        z=shares,
        x=names,
        y=names,
        zmin=0,
        zmax=2,  # half of the scale, so that the figures can be read
        text=[[f"{100 * share:.0f} %" for share in row] for row in shares],
        texttemplate="%{text}",
        textfont={"color": light("ink")},
        colorscale=_scale(signed=False),
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y} and %{x}: %{text}<extra></extra>",
    )
    figure.update_xaxes(showgrid=False, type="category", title_text="")
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False)
    return plotly_json(figure)


def _scale(signed: bool) -> list[list[Any]]:
    if signed:
        return [[0, light("two")], [0.5, light("card")], [1, light("accent")]]
    return [[0, light("card")], [1, light("accent")]]
