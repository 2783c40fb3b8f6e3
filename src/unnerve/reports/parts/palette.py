"""The page's colours, light and dark: one list for its style sheet and its charts."""

from collections.abc import Mapping

import numpy as np

__all__ = ["CLASSES", "LINES", "PALETTE", "heat", "light"]

_PLAIN = {
    "ground": ("#fbfaf7", "#15161a"),
    "card": ("#ffffff", "#1d1f25"),
    "ink": ("#1d1c1a", "#ecebe7"),
    "soft": ("#67645e", "#a3a099"),
    "line": ("#e4e0d8", "#31343c"),
    "strong-line": ("#8b877f", "#7d7a75"),
    "accent": ("#3b4cca", "#9aa5ff"),
    "accent-faint": ("#e9ebfb", "#262a45"),
    "bad": ("#b3261e", "#ff8a80"),
    "warn": ("#8a5300", "#f2b84b"),
    "warn-faint": ("#fdf1d8", "#3a2d14"),
    "good": ("#2e6b3f", "#8fd19e"),
    "one": ("#3b4dcb", "#9aa6ff"),
    "two": ("#b4540a", "#ffb270"),
    "three": ("#1f7a5c", "#74d3ae"),
    "four": ("#8e3aa8", "#dca0f0"),
    "five": ("#0f7490", "#7fd0e8"),
    "six": ("#a8324e", "#ff9db0"),
    "seven": ("#6f6a00", "#d8cf57"),
    "eight": ("#d1338f", "#ff92cf"),
    "nine": ("#4f9a1f", "#a9de7a"),
    "ten": ("#6e4a30", "#cda689"),
    "band": ("rgba(139, 135, 127, 0.20)", "rgba(163, 160, 153, 0.22)"),
}

LINES = (
    ("one", "solid"),
    ("two", "dash"),
    ("three", "dot"),
    ("four", "dashdot"),
    ("five", "longdash"),
    ("six", "longdashdot"),
)
"""Colour and dash of the first, second ... line of a chart."""

CLASSES = (*(name for name, _ in LINES), "seven", "eight", "nine", "ten")
"""Colours of the first, second ... class, where classes are many."""


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.2)"


PALETTE: Mapping[str, tuple[str, str]] = {
    **_PLAIN,
    **{f"{name}-band": (_faint(_PLAIN[name][0]), _faint(_PLAIN[name][1])) for name, _ in LINES},
}
"""Name to (light, dark). The light values differ from each other, so that a chart's colour tells its name.

``one-band`` is what lies around the line ``one``.
"""


def light(name: str) -> str:
    """Return the colour that a chart is written in; the page exchanges it for the one in use."""
    return PALETTE[name][0]


# Dark to bright in steps of about equal lightness, so that it reads in grey and to the colour-blind too.
_STOPS = np.array([[10, 8, 30], [74, 18, 98], [150, 38, 96], [222, 78, 60], [250, 156, 48], [253, 240, 170]]) / 255


def heat(shares: np.ndarray) -> np.ndarray:
    """Return shares, of any shape (...) and in [0, 1], as colours from dark to bright, (3, ...) in [0, 1]."""
    places = np.linspace(0, 1, len(_STOPS))
    return np.stack([np.interp(shares, places, _STOPS[:, channel]) for channel in range(3)])
