"""Floating-point data that is stored in another range than [0, 1]."""

from dataclasses import replace

import numpy as np

from unnerve.core.errors import InvalidSetting
from unnerve.core.examples import Examples

__all__ = ["rescaled"]


def rescaled(examples: Examples, stored_range: tuple[float, float] | None) -> Examples:
    """Return examples whose stored values, from low to high, are read as values from 0 to 1.

    Parameters
    ----------
    examples : Examples
        Of floating-point numbers.
    stored_range : (float, float) or None
        Low and high; None leaves the examples as they are.
    """
    if stored_range is None:
        return examples
    low, high = stored_range
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InvalidSetting(f"stored_range must be two numbers, low < high, got {low}, {high}")
    if examples.source.read([0]).dtype == np.uint8:
        raise InvalidSetting(f"stored_range is for floating-point data, but {examples.name} is stored as uint8")
    return replace(examples, scale=(float(low), _factor(low, high)))


def _factor(low: float, high: float) -> float:
    """Return 1 / (high - low), a trifle less if float32 arithmetic would otherwise take high above 1."""
    width = np.float32(high) - np.float32(low)
    factor = np.float32(1 / (high - low))
    while width * factor > 1:
        factor = np.nextafter(factor, np.float32(0))
    return float(factor)
