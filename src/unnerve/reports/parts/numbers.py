"""Numbers for people: at most three significant digits, in characters that any terminal has."""

import math
import re

__all__ = [
    "between",
    "confidence",
    "count",
    "duration",
    "finite",
    "percent",
    "percent_between",
    "significant",
    "tries",
    "unbroken",
]

_UNKNOWN = "-"
_PART = re.compile(r"(?<=\d) (?=(?:%|dB|s|min|h)(?!\w))|(?<=[<>=\u2264\u2265]) (?=\d)")


def significant(value: float | None) -> str:
    """Round to three significant digits: ``0.0123``, ``4.1``, ``12,300``; ``-`` for None and NaN."""
    if value is None or not math.isfinite(value):
        return _UNKNOWN
    if value == 0:
        return "0"
    decimals = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    # Below, zeros behind the point are harder to count than a power of ten is to read.
    if abs(rounded) < 1e-4:
        return f"{value:.2e}"
    if decimals <= 0:
        return f"{rounded:,.0f}"
    return f"{rounded:,.{decimals}f}".rstrip("0").rstrip(".")


def finite(value: float | None, digits: int | None = None) -> float | None:
    """Return a number that JSON can hold, rounded to some decimals if asked; None for None, NaN and infinity."""
    if value is None or not math.isfinite(value):
        return None
    return float(value) if digits is None else round(float(value), digits)


def percent(share: float | None) -> str:
    """Write a share in percent; what is below 1 is never rounded up to it, and below 0.1 % no digits are told."""
    if share is None or not math.isfinite(share):
        return _UNKNOWN
    if 0 < share < 0.001:
        return "< 0.1 %"
    # From here on three digits would be 100.
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{significant(100 * share)} %"


def confidence(share: float | None) -> str:
    """Write how sure a model is: never 100 %, for no softmax is; single precision rounds to that."""
    return "> 99.9 %" if share is not None and share >= 0.9995 else percent(share)


def between(low: float, high: float) -> str:
    """Write an interval."""
    return f"{significant(low)} to {significant(high)}"


def percent_between(low: float, high: float) -> str:
    """Write an interval of shares in percent."""
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def count(number: int, noun: str = "") -> str:
    """Write an exact number, with its noun (given in the plural) if there is one: ``1,000 images``, ``1 image``."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {_singular(noun) if number == 1 else noun}"


def tries(mean: float) -> str:
    """Write a mean number of tries with its noun."""
    return f"{significant(mean)} {'try' if mean == 1 else 'tries'}"


def duration(seconds: float) -> str:
    """Write a time: ``3.42 s``, ``2 min 5 s``, ``3 h 20 min``."""
    if seconds < 120:
        return f"{significant(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def unbroken(text: str) -> str:
    """Return a text with no-break spaces in ``34.8 %``, ``20 dB`` and ``< 0.1``; for pages, not for terminals."""
    return _PART.sub("\u00a0", text)


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
