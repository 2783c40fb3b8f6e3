"""The verdict on the limits that a user stated, in words."""

from dataclasses import dataclass

from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import between, percent, percent_between, significant
from unnerve.studies.gates.gate import Gate, Judged

__all__ = ["Badge", "LimitBar", "badge", "gate_lines"]

_MARKS = {"broken": "\u2715", "held": "\u2713", "undecided": "?"}


@dataclass(frozen=True)
class LimitBar:
    """A share, its interval and the limit that was stated for it, in per cent of a bar."""

    share: float
    low: float
    high: float
    limit: float


@dataclass(frozen=True)
class Badge:
    """What stands above the answer.

    Parameters
    ----------
    verdict : str
        ``broken``, ``held`` or ``undecided``; a colour by its name.
    mark, words : str
        So that it is not told by colour alone.
    details : tuple of str
        One line per limit.
    bar : LimitBar or None
        Of the limit that decided; None if that is not of a share.
    """

    verdict: str
    mark: str
    words: str
    details: tuple[str, ...]
    bar: LimitBar | None = None


def badge(gate: Gate | None) -> Badge | None:
    """Return the badge of a run; None if no limit was stated."""
    if gate is None:
        return None
    # The one that decided: of ten limits that hold, the eleventh that does not is what the reader must see.
    first = next(one for one in gate.judged if one.verdict == gate.verdict)
    more = len({one.limit for one in gate.judged}) - 1
    limits = f"{printable(str(first.limit))}{f', and {more} more' if more else ''}"
    words = {"broken": "Broken", "held": "Held", "undecided": "Undecided"}[gate.verdict]
    said = gate_lines(gate) if more else [f"{printable(first.found.name)} is {_figure(first)}"]
    return Badge(gate.verdict, _MARKS[gate.verdict], f"{words}: fail if {limits}", tuple(said), _bar(first))


def _bar(one: Judged) -> LimitBar | None:
    found, bound = one.found, one.limit.bound
    known = (found.value, found.low, found.high)
    if not one.limit.percent or any(part is None or not 0 <= part <= 1 for part in (*known, bound)):
        return None
    share, low, high = (100 * float(part or 0) for part in known)
    return LimitBar(share, low, high, 100 * bound)


def gate_lines(gate: Gate) -> list[str]:
    """Return one line per limit: verdict, limit, what was found."""
    return [
        f"{one.verdict.upper()}: fail if {printable(str(one.limit))}; {printable(one.found.name)} is {_figure(one)}"
        for one in gate.judged
    ]


def _figure(one: Judged) -> str:
    found, in_percent = one.found, one.limit.percent
    if found.value is None or found.low is None or found.high is None:
        return "not known"
    value = percent(found.value) if in_percent else significant(found.value)
    if found.low == found.high:
        return value if found.settled else f"{value}, so far"
    ends = percent_between(found.low, found.high) if in_percent else between(found.low, found.high)
    return f"{value} (95 %: {ends})" + ("" if found.settled else ", so far")
