"""The chart of Eff against rank, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.parts.effs.eff import EffSeries
from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json

__all__ = ["eff_chart"]


# Where hardly anything lies beyond, the rest of the axis is left out.
_CROP = 0.6


def eff_chart(series: EffSeries, tries: int, cropped: bool = False) -> Chart:
    """Draw Eff against normalised rank: points, means of stretches, fitted curve.

    Parameters
    ----------
    series : EffSeries
    tries : int
        Per input, for the axis title.
    cropped : bool
        Whether the axis ends soon after the last input that broke; its title says so.

    Returns
    -------
    dict
        ``data`` and ``layout``; each point's ``customdata`` is the row of its input, and ``meta`` of the layout has
        the range of the linear axis.
    """
    figure = go.Figure(layout=layout())
    marker = {"color": light("accent"), "size": 6, "opacity": 0.6}
    hover = "%{text}<br>Eff %{y:.3~p}, normalised rank %{x:.3f}<extra></extra>"
    hints = [plain(hint) for hint in series.hints]
    points = {"mode": "markers", "name": "one input", "marker": marker, "text": hints, "hovertemplate": hover}
    figure.add_scatter(x=series.ranks, y=series.effs, customdata=series.rows, **points)
    if series.bins:
        figure.add_scatter(**_means(series))
    if series.curve:
        line = {"color": light("ink"), "width": 2.5}
        x, y = zip(*series.curve, strict=True)
        name = f"fit: {_typeset(series.formula)}"
        figure.add_scatter(x=x, y=y, mode="lines", name=name, line=line, hoverinfo="skip")
    end = _end(series) if cropped else 1.0
    rest = f"<br>beyond {end:.2g} no try changed an answer" if end < 1 else ""
    # A little beyond both ends, and below zero, so that the frame does not cut markers in half.
    span = [-0.01 * end, 1.01 * end]
    figure.update_xaxes(title_text=f"normalised rank (0 = most suspect){rest}", range=span)
    figure.update_layout(meta={"range": span})
    # At least 2 %: where nothing failed, an axis of zero height could not be drawn.
    top = max(series.top * 1.08, 0.02)
    figure.update_yaxes(title_text=f"Eff (% of {tries:,} tries)", tickformat="~p", range=[-0.02 * top, top])
    return plotly_json(figure)


def _end(series: EffSeries) -> float:
    """Return where the axis ends: a quarter beyond the last rank with Eff above 0, or at 1."""
    # Means count every input, points only those that are drawn.
    points = [x for x, eff in zip(series.ranks, series.effs, strict=True) if eff > 0]
    last = max([*points, *(x for x, mean, _ in series.bins if mean > 0)], default=1.0)
    end = 1.25 * last
    return end if end < _CROP else 1.0


def _means(series: EffSeries) -> Chart:
    x, y, around = (list(column) for column in zip(*series.bins, strict=True))
    above = [0.0 if one is None else one.high - one.mean for one in around]
    below = [0.0 if one is None else one.mean - one.low for one in around]
    whiskers = {"type": "data", "array": above, "arrayminus": below, "color": light("two"), "thickness": 1, "width": 0}
    return {
        "x": x,
        "y": y,
        "mode": "markers",
        "name": "mean of a hundredth",
        "error_y": whiskers,
        "marker": {"color": light("two"), "size": 7, "symbol": "square"},
        "hovertemplate": "mean Eff %{y:.3~p} around normalised rank %{x:.3f}<extra></extra>",
    }


def _typeset(formula: str) -> str:
    """Turn exp(...) into a power of e."""
    return plain(formula).replace("exp(", "e<sup>").replace(")", "</sup>", 1)
