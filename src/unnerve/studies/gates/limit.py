"""A limit in words, such as ``broken > 5%``, and its verdict on an interval."""

import math
import re
from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting
from unnerve.studies.gates.quantities import Quantity

__all__ = ["Limit"]

_WORDS = re.compile(r"\s*(?P<quantity>.*?\S)\s*(?P<sign><=|>=|<|>)\s*(?P<number>[^\s%]+)\s*(?P<percent>%?)\s*")


@dataclass(frozen=True)
class Limit:
    """What a run must not do.

    Parameters
    ----------
    quantity : str
        A key of the verb's JSON, with dots between the keys of nested figures.
    sign : str
        ``<``, ``<=``, ``>`` or ``>=``.
    bound : float
        A share in [0, 1] if it was written in per cent.
    percent : bool
        Whether it was.

    Examples
    --------
    >>> Limit.of("broken > 5%")
    Limit(quantity='broken', sign='>', bound=0.05, percent=True)
    """

    quantity: str
    sign: str
    bound: float
    percent: bool = False

    @classmethod
    def of(cls, text: str) -> "Limit":
        """Read a limit as it is written on the command line."""
        parts = _WORDS.fullmatch(text)
        try:
            bound = float(parts["number"]) if parts else math.nan
        except ValueError:
            bound = math.nan
        if parts is None or not math.isfinite(bound):
            raise InvalidSetting(f"a limit must be like 'broken > 5%', got {text!r}")
        # No share lies beyond, and such a gate could not fail. Some may be below zero: inc, where an order loses tries.
        if parts["percent"] and bound > 100:
            raise InvalidSetting(f"a limit in % must be <= 100 %, got {text!r}")
        percent = bool(parts["percent"])
        return cls(parts["quantity"], parts["sign"], bound / 100 if percent else bound, percent)

    def __str__(self) -> str:
        return f"{self.quantity} {self.sign} {f'{100 * self.bound:g} %' if self.percent else f'{self.bound:g}'}"

    def verdict(self, found: Quantity) -> str:
        """Say ``broken`` if the interval lies wholly beyond the limit, ``held`` if within, else ``undecided``."""
        if found.low is None or found.high is None:
            return "undecided"
        beyond = [_beyond(self.sign, end, self.bound) for end in (found.low, found.high)]
        if all(beyond):
            return "broken"
        # What is not finished may still cross the limit, but cannot come back over it for being finished.
        return "undecided" if any(beyond) or not found.settled else "held"


def _beyond(sign: str, value: float, bound: float) -> bool:
    return {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}[sign]
