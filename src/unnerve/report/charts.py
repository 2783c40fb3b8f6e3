"""The charts of a report, as plotly's JSON; colours are the light ones of the palette, exchanged by the page."""

import math
from typing import Any

import plotly.graph_objects as go

from unnerve.report._campaign_curves import Curve
from unnerve.report._numbers import significant
from unnerve.report._palette import LINES, light
from unnerve.report._plotly import Chart, layout, plain, plotly_json
from unnerve.report._series import Bar, EffSeries, Found
from unnerve.studies.reproduction import Figure, Series

__all__ = ["eff_chart", "figure_chart", "found_chart", "spending_chart", "tries_chart"]

_WIDE_RATIO = 20


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
    top = max(series.top * 1.08, 0.02)
    figure.update_yaxes(title_text=f"Eff (% of {tries:,} tries)", tickformat="~p", range=[-0.02 * top, top])
    return plotly_json(figure)


def tries_chart(bars: tuple[Bar, ...]) -> Chart:
    """Draw the mean tries until the first error, one bar per order; a logarithmic axis if they differ twentyfold."""
    means = [bar.interval.mean for bar in bars]
    wide = max(means) / min(means) > _WIDE_RATIO
    figure = go.Figure(layout=layout(height=110 + 46 * len(bars)))
    figure.add_bar(
        orientation="h",
        x=means,
        y=list(range(len(bars))),
        customdata=[plain(bar.text) for bar in bars],
        error_x=_whiskers(bars),
        marker={
            "color": [light("accent" if bar.ranked else "strong-line") for bar in bars],
            "pattern": {"shape": ["/" if bar.censored else "" for bar in bars], "fgcolor": light("ground"), "size": 7},
        },
        hovertemplate="%{customdata} tries<extra></extra>",
    )
    labels = [f"<b>{plain(bar.name)}</b><br>{plain(bar.text)}" for bar in bars]
    figure.update_yaxes(tickvals=list(range(len(bars))), ticktext=labels, autorange="reversed", showgrid=False)
    scale = " (log scale)" if wide else ""
    figure.update_xaxes(title_text=f"tries{scale}")
    top = max(bar.interval.high for bar in bars)
    if wide:
        ticks = [10.0**power for power in range(math.ceil(math.log10(top)) + 1)]
        bounds = [math.log10(0.7), math.log10(top * 1.3)]
        figure.update_xaxes(type="log", range=bounds, tickvals=ticks, ticktext=[significant(tick) for tick in ticks])
    else:
        figure.update_xaxes(range=[0, top * 1.06], tickformat=",")
    figure.update_layout(showlegend=False, bargap=0.45, hovermode="closest")
    return plotly_json(figure)


def found_chart(found: Found, noun: str) -> Chart:
    """Draw the share of vulnerable inputs found over inputs tried; ``meta`` of a line is its score."""
    figure = go.Figure(layout=layout())
    tried = found.tried
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=tried, y=found.high, showlegend=False, **edge)
    figure.add_scatter(
        x=tried, y=found.low, name="95 % of random orders", fill="tonexty", fillcolor=light("band"), **edge
    )
    soft = {"color": light("strong-line"), "width": 1.5}
    figure.add_scatter(
        x=[0, found.total],
        y=[0, 1],
        mode="lines",
        name="random, on average",
        line={**soft, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(x=tried, y=found.ideal, mode="lines", name="best possible", line=soft, hoverinfo="skip")
    figure.update_traces(legendrank=2000)
    for place, (name, shares) in enumerate(found.shares.items()):
        colour, dash = LINES[place % len(LINES)]
        line = {"color": light(colour), "dash": dash, "width": 1.5}
        hover = f"{plain(name)}: %{{y:.3~p}} found after %{{x:,}} {noun}<extra></extra>"
        figure.add_scatter(x=tried, y=shares, mode="lines", name=plain(name), meta=name, line=line, hovertemplate=hover)
    figure.update_xaxes(title_text=f"{noun} tried (of {found.total:,})", range=[0, found.total * 1.01], tickformat=",")
    figure.update_yaxes(title_text=f"vulnerable found (% of {found.vulnerable:,})", tickformat="~p", range=[0, 1.03])
    return plotly_json(figure)


def spending_chart(curves: tuple[Curve, ...], figure: str, over: str) -> Chart:
    """Draw what each method has found by the time so much was spent, with bands.

    Parameters
    ----------
    curves : tuple of Curve
    figure : str
        ``seeds_broken``, ``error_categories`` or ``errors``.
    over : str
        ``queries`` or ``seconds``, per seed.
    """
    drawn = go.Figure(layout=layout(height=360))
    shares = figure == "seeds_broken"
    form = ".3~p" if shares else ".3~r"
    for place, curve in enumerate(curves):
        hue = LINES[place % len(LINES)][0]
        dash = LINES[(place + place // len(LINES)) % len(LINES)][1]
        x: list[Any] = curve.queries if over == "queries" else curve.seconds
        low, high, name = curve.low[figure], curve.high[figure], plain(curve.label)
        band = {"legendgroup": name, "showlegend": False, "hoverinfo": "skip", "mode": "lines"}
        edge = {"width": 0, "shape": "hv"}
        drawn.add_scatter(x=x, y=high, line=edge, **band)
        drawn.add_scatter(x=x, y=low, line=edge, fill="tonexty", fillcolor=light(f"{hue}-band"), **band)
        hover = f"{name}: %{{y:{form}}} (%{{customdata[0]:{form}}} to %{{customdata[1]:{form}}})"
        hover += f"<br>after %{{x:.3~r}} {over} per seed<extra></extra>"
        drawn.add_scatter(
            x=x,
            y=curve.means[figure],
            mode="lines",
            name=name,
            legendgroup=name,
            line={"color": light(hue), "dash": dash, "width": 2, "shape": "hv"},
            customdata=[list(ends) for ends in zip(low, high, strict=True)],
            hovertemplate=hover,
        )
    unit = "queries per seed" if over == "queries" else "seconds per seed (queries \u00d7 mean time of one)"
    drawn.update_xaxes(title_text=unit, type="log")
    drawn.update_yaxes(title_text=_HEIGHTS[figure], rangemode="tozero", tickformat="~p" if shares else None)
    if shares:
        drawn.update_yaxes(range=[0, 1.03])
    return plotly_json(drawn)


def figure_chart(figure: Figure) -> Chart:
    """Draw a paper's figure: lines, points or bars, each with its intervals if it has any."""
    drawn = go.Figure(layout=layout(height=340))
    for place, series in enumerate(figure.series):
        hue, dash = LINES[place % len(LINES)]
        common = {"x": series.x, "y": series.y, "name": plain(series.name), "error_y": _reach(series, hue)}
        if series.kind == "bars":
            drawn.add_bar(marker={"color": light(hue)}, **common)
        elif series.kind == "points":
            marker = {"color": light(hue), "size": 6, "opacity": 0.6, "symbol": _SYMBOLS[place % len(_SYMBOLS)]}
            drawn.add_scatter(mode="markers", marker=marker, **common)
        else:
            drawn.add_scatter(mode="lines+markers", line={"color": light(hue), "dash": dash, "width": 2}, **common)
    drawn.update_xaxes(title_text=plain(figure.x))
    if any(series.kind == "bars" for series in figure.series):
        drawn.update_xaxes(type="category")  # or words that look like numbers would be placed as such
    drawn.update_yaxes(title_text=plain(figure.y))
    drawn.update_layout(showlegend=True, barmode="group")
    return plotly_json(drawn)


def _reach(series: Series, hue: str) -> Chart | None:
    if series.ci95 is None:
        return None
    above = [high - y for (_, high), y in zip(series.ci95, series.y, strict=True)]
    below = [y - low for (low, _), y in zip(series.ci95, series.y, strict=True)]
    return {"type": "data", "array": above, "arrayminus": below, "color": light(hue), "thickness": 1, "width": 3}


_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
_HEIGHTS = {
    "seeds_broken": "seeds broken (% of seeds)",
    "error_categories": "kinds of errors (mean per seed)",
    "errors": "errors (mean per seed)",
}


def _means(series: EffSeries) -> Chart:
    x, y, reach = (list(column) for column in zip(*series.bins, strict=True))
    above = [min(width or 0.0, 1 - mean) for mean, width in zip(y, reach, strict=True)]
    below = [min(width or 0.0, mean) for mean, width in zip(y, reach, strict=True)]
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


def _whiskers(bars: tuple[Bar, ...]) -> Chart | None:
    if all(bar.interval.low == bar.interval.high for bar in bars):
        return None
    above = [bar.interval.high - bar.interval.mean for bar in bars]
    below = [bar.interval.mean - bar.interval.low for bar in bars]
    return {"type": "data", "array": above, "arrayminus": below, "color": light("ink"), "thickness": 1.5, "width": 5}


def _typeset(formula: str) -> str:
    """Turn exp(...) into a power of e."""
    return plain(formula).replace("exp(", "e<sup>").replace(")", "</sup>", 1)
