"""What all charts share: plotly itself, their layout, and text that is not taken for markup."""

import base64
import json
import zlib
from functools import cache
from html import escape
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.palette import light

__all__ = ["Chart", "label", "layout", "library", "library_source", "plain", "plotly_json"]

Chart = dict[str, Any]
"""Plotly's JSON: ``data`` and ``layout``."""


def library_source() -> str:
    """Return plotly's JavaScript as it is run."""
    return str(get_plotlyjs())


@cache
def library() -> str:
    """Return plotly's JavaScript as a page holds it, once: packed to two fifths, which the page's script unpacks."""
    return base64.b64encode(zlib.compress(library_source().encode())).decode()


def layout(height: int = 420) -> Chart:
    """Return the layout that all charts begin with."""
    axis = {
        "gridcolor": light("line"),
        "linecolor": light("strong-line"),
        "zeroline": False,
        "automargin": True,
        "title": {"standoff": 10},
        "fixedrange": False,
    }
    return {
        "template": "none",
        "height": height,
        "margin": {"l": 8, "r": 26, "t": 12, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": light("soft")},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": light("soft"), "activecolor": light("accent")},
        "legend": {
            "orientation": "h",
            "traceorder": "normal",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "x": 0,
            "font": {"color": light("ink")},
        },
        "hoverlabel": {"bgcolor": light("card"), "bordercolor": light("strong-line"), "font": {"color": light("ink")}},
        "hovermode": "closest",
        # Dragging would zoom while somebody scrolls a page on a telephone.
        "dragmode": False,
        "xaxis": axis,
        "yaxis": axis,
    }


def plain(text: str) -> str:
    """Escape what plotly's labels would take for markup."""
    # Quotes stay: labels are no attributes, and plotly would show the entities.
    return escape(text, quote=False)


def label(text: str, width: int) -> str:
    """Return a name that users gave as plotly's text, at most so wide."""
    return plain(display_name(text, width))


def plotly_json(figure: go.Figure) -> Chart:
    """Return a figure as plain values, without plotly's own template."""
    chart: Chart = json.loads(figure.to_json())
    # Plotly's own template would be repeated in every chart.
    chart["layout"].pop("template", None)
    return chart
