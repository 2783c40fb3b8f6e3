"""Which values of an input that is no image changed most, in words."""

from collections.abc import Sequence

import numpy as np

from unnerve.core.data.features import Feature, Features
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import significant

__all__ = ["changed_values"]

_VALUES, _FEATURES = 3, 5


def changed_values(seed: np.ndarray, values: np.ndarray, features: Features | None = None) -> str:
    """Say which values changed most, before and after: of a table by the names of its columns, and how far.

    Parameters
    ----------
    seed, values : arrays of one shape
    features : Features or None
        Of the columns, if the inputs are rows of a table.
    """
    if features is None or values.shape != (len(features),):
        change = np.abs(values - seed).ravel()
        places = [place for place in np.argsort(-change, kind="stable")[:_VALUES] if change[place] > 0]
        return "; ".join(_value(int(place), seed, values) for place in places)
    # A column in which all values are equal has no unit of its own, and its change is shown as it is.
    spreads = np.array([one.spread if one.spread > 0 else 1.0 for one in features.columns])
    change = (values - seed) / spreads
    order = np.argsort(-np.abs(change), kind="stable")
    places = [int(place) for place in order if change[place] != 0]
    shown = [
        _feature(features.columns[place], float(seed[place]), float(values[place]), float(change[place]))
        for place in places[:_FEATURES]
    ]
    left = len(places) - len(shown)
    return "; ".join([*shown, *([f"and {left} more"] if left else [])])


def _value(place: int, seed: np.ndarray, values: np.ndarray) -> str:
    before, after = (significant(float(one.ravel()[place])) for one in (seed, values))
    return f"value {_place(place, values.shape)}: {before} to {after}"


def _place(place: int, shape: Sequence[int]) -> str:
    return ", ".join(str(int(one)) for one in np.unravel_index(place, tuple(shape)))


def _feature(one: Feature, before: float, after: float, change: float) -> str:
    # Six digits: three would show 2,012 and 2,014 as the same year.
    return f"{display_name(one.name, 40)}: {before:.6g} to {after:.6g} ({change:+.2g} sd)"
