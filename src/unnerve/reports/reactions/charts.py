"""The charts of the page on reactions, as plotly's JSON."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from unnerve.core.neurons import Layer
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.reports.reactions.words import unit
from unnerve.studies.react.result import Reactions

__all__ = ["layers_chart", "neurons_charts", "overlap_chart"]

# Networks with more layers than this have bars too thin to see: lines instead.
_BARS = 30
_COLUMNS = 60


def layers_chart(found: Reactions) -> Chart:
    """Draw the share of each layer's neurons that react, by method, with noise of the same size as marks."""
    figure = go.Figure(layout=layout(height=380))
    names = [label(layer.name, 24) for layer in found.neurons.layers]
    for place, method in enumerate(found.methods):
        colour, dash = LINES[place % len(LINES)]
        shown = label(method, 40)
        shares, noise = (list(found.layer_shares(method, one).values()) for one in (False, True))
        hover = f"%{{x}}, {shown}: %{{y:.3~p}}<extra></extra>"
        common: dict[str, Any] = {"x": names, "y": shares, "name": shown, "hovertemplate": hover}
        if len(names) > _BARS:
            figure.add_scatter(mode="lines", line={"color": light(colour), "dash": dash, "width": 2}, **common)
        else:
            figure.add_bar(marker={"color": light(colour)}, offsetgroup=method, **common)
        figure.add_scatter(
            x=names,
            y=noise,
            mode="markers",
            name="noise of the same size",
            legendgroup="noise",
            showlegend=place == 0,
            legendrank=2000,
            offsetgroup=method,
            marker={
                "symbol": "line-ew-open",
                "size": 12 if len(names) <= _BARS else 5,
                "color": light("ink"),
                "line": {"width": 2},
            },
            hovertemplate=f"%{{x}}, noise as large as {shown}: %{{y:.3~p}}<extra></extra>",
        )
    figure.update_xaxes(title_text="layer, in calling order", showgrid=False, type="category")
    figure.update_yaxes(title_text="neurons that react", tickformat="~p", rangemode="tozero")
    figure.update_layout(barmode="group", scattermode="group", bargap=0.2, showlegend=True)
    return plotly_json(figure)


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
    figure = go.Figure(layout=layout(height=120 + 26 * min(len(layers), 40)))
    figure.add_heatmap(
        z=[values.tolist() for values, _ in rows],
        text=[
            [f"{label(layer.name, 40)} {index}" for index in order]
            for layer, (_, order) in zip(layers, rows, strict=True)
        ],
        x=[100 * (column + 0.5) / _COLUMNS for column in range(_COLUMNS)],
        y=[f"{label(layer.name, 24)} ({layer.count:,})" for layer in layers],
        zmin=ends[0],
        zmax=ends[1],
        colorscale=_scale(ends[0] < 0),
        colorbar={"title": {"text": unit(found), "side": "right"}, "thickness": 14, "outlinewidth": 0},
        hovertemplate="%{text}: %{z:.3~r}<extra></extra>",
        ygap=2,
    )
    figure.update_xaxes(title_text="neurons of a layer, those that react most first (%)", showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", title_text="")
    figure.update_layout(showlegend=False)
    return plotly_json(figure)


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
