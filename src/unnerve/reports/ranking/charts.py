"""The charts of a report, as plotly's JSON; colours are the light ones of the palette, exchanged by the page."""

import math

import plotly.graph_objects as go

from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, layout, plain, plotly_json
from unnerve.reports.ranking.series import Bar, Found

__all__ = ["found_chart", "tries_chart"]

# Below this all bars can still be read on a common axis from zero, which is the honest one for lengths.
_WIDE_RATIO = 20


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
        # Of a logarithmic axis plotly takes the ends as powers of ten, and the ticks as they are.
        bounds = [math.log10(0.7), math.log10(top * 1.3)]
        figure.update_xaxes(type="log", range=bounds, tickvals=ticks, ticktext=[significant(tick) for tick in ticks])
    else:
        figure.update_xaxes(range=[0, top * 1.06], tickformat=",")
    figure.update_layout(showlegend=False, bargap=0.45, hovermode="closest")
    return plotly_json(figure)


def found_chart(found: Found, noun: str) -> Chart:
    """Draw the share found over inputs reviewed, as far as things happen; ``meta`` of a line is its scores.

    Scores that find the same inputs at every place share a line: drawn one over the other they would hide all but one.
    """
    figure = go.Figure(layout=layout())
    tried = found.tried
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=tried, y=found.high, showlegend=False, **edge)
    figure.add_scatter(x=tried, y=found.low, showlegend=False, fill="tonexty", fillcolor=light("band"), **edge)
    soft = {"color": light("strong-line"), "width": 1.5}
    figure.add_scatter(
        x=[0, found.total],
        y=[0, 1],
        mode="lines",
        showlegend=False,
        line={**soft, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(x=tried, y=found.ideal, mode="lines", showlegend=False, line=soft, hoverinfo="skip")
    alike = _alike(found)
    for place, names in enumerate(alike):
        shares = found.shares[names[0]]
        name = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} alike"
        colour, dash = LINES[place % len(LINES)]
        line = {"color": light(colour), "dash": dash, "width": 1.5}
        hover = f"{plain(name)}: %{{y:.3~p}} found after %{{x:,}} {noun}<extra></extra>"
        figure.add_scatter(
            x=tried, y=shares, mode="lines", name=plain(name), meta=names, line=line, hovertemplate=hover
        )
    cut = found.total - found.end
    left = round((1 - next(iter(found.shares.values()))[_place(found, found.end)]) * found.sought)
    rest = f"<br>(the last {cut:,} add {left:,})" if cut else ""
    title = f"{noun} reviewed (of {found.total:,}){rest}"
    figure.update_xaxes(title_text=title, range=[0, found.end * 1.01], tickformat=",")
    figure.update_yaxes(title_text=f"found (% of {found.sought:,})", tickformat="~p", range=[0, 1.03])
    figure.update_layout(showlegend=len(alike) > 1)
    return plotly_json(figure)


def _alike(found: Found) -> list[list[str]]:
    """Return the scores by the lines that they share, in their order."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for name, shares in found.shares.items():
        groups.setdefault(tuple(shares), []).append(name)
    return list(groups.values())


def _place(found: Found, end: int) -> int:
    """Return the last place of the lines that is not beyond an end."""
    return max(place for place, tried in enumerate(found.tried) if tried <= end)


def _whiskers(bars: tuple[Bar, ...]) -> Chart | None:
    if all(bar.interval.low == bar.interval.high for bar in bars):
        return None
    above = [bar.interval.high - bar.interval.mean for bar in bars]
    below = [bar.interval.mean - bar.interval.low for bar in bars]
    return {"type": "data", "array": above, "arrayminus": below, "color": light("ink"), "thickness": 1.5, "width": 5}
