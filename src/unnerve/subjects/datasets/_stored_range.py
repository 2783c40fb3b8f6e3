"""Floating-point data whose values lie in another range than [0, 1]."""

from dataclasses import replace

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.data.ranges import ValueRange, checked_range
from unnerve.core.errors import InvalidSetting

__all__ = ["held_in"]


def held_in(examples: Examples, stored_range: ValueRange | None) -> Examples:
    """Return examples whose values lie in a range; they stay as they are.

    Parameters
    ----------
    examples : Examples
        Of floating-point numbers.
    stored_range : (float, float) or None
        Low and high; None leaves the examples as they are.
    """
    if stored_range is None:
        return examples
    held = checked_range(*stored_range, "--stored-range")
    # Bytes are k/255 already; a range for them could only be a misunderstanding.
    if examples.source.read([0]).dtype == np.uint8:
        raise InvalidSetting(f"--stored-range is for floating-point data, but {examples.name} is stored as uint8")
    return replace(examples, value_range=held, stored=None)
