"""The chart of Eff against rank, as plotly's JSON."""

import plotly.graph_objects as go

from unnerve.reports.parts.effs.eff import EffSeries
from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json

__all__ = ["eff_chart"]


def eff_chart(series: EffSeries, tries: int) -> Chart:
    """Draw Eff against normalised rank: points, means of stretches, fitted curve.

    Parameters
    ----------
    series : EffSeries
    tries : int
        Per input, for the axis title.

    Returns
    -------
    dict
        ``data`` and ``layout``; each point's ``customdata`` is the row of its input.
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
    figure.update_xaxes(title_text="normalised rank (0 = most suspect)", range=[-0.01, 1.01])
    # At least 2 %: where nothing failed, an axis of zero height could not be drawn.
    top = max(series.top * 1.08, 0.02)
    figure.update_yaxes(title_text=f"Eff (% of {tries:,} tries)", tickformat="~p", range=[-0.02 * top, top])
    return plotly_json(figure)


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
