"""The verdict on the limits that a user stated, in words."""

from dataclasses import dataclass

from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import between, count, percent, percent_between, significant
from unnerve.studies.gates.gate import Gate, Judged
from unnerve.studies.gates.limit import Limit

__all__ = ["Badge", "LimitBar", "badge", "gate_lines"]

_BEYOND = {">": ("more than", "above"), ">=": ("at least",) * 2, "<": ("less than", "below"), "<=": ("at most",) * 2}
"""How a limit is crossed: of a share of inputs that break, and of any other figure."""
_WITHIN = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_MARKS = {"broken": "\u2715", "undecided": "?", "held": "\u2713"}
"""By verdict, the worst first."""


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
    others = _others(gate, first)
    words = f"{gate.verdict.capitalize()}: {_clause(first)}{f' ({others})' if others else ''}"
    said = gate_lines(gate) if others else [f"Measured: {_figure(first)}"]
    return Badge(gate.verdict, _MARKS[gate.verdict], words, tuple(said), _bar(first))


def _bar(one: Judged) -> LimitBar | None:
    found, bound = one.found, one.limit.bound
    known = (found.value, found.low, found.high)
    if not one.limit.percent or any(part is None or not 0 <= part <= 1 for part in (*known, bound)):
        return None
    share, low, high = (100 * float(part or 0) for part in known)
    return LimitBar(share, low, high, 100 * bound)


def gate_lines(gate: Gate) -> list[str]:
    """Return one line per limit: verdict, what it says of the limit, what was found."""
    return [f"{one.verdict.upper()}: {_clause(one)}: {_figure(one)}" for one in gate.judged]


def _clause(one: Judged) -> str:
    """Say on which side of its limit a figure lies: "more than 5 % break" or "errors at most 100"."""
    limit = one.limit
    sign = _WITHIN[limit.sign] if one.verdict == "held" else limit.sign
    doubt = "perhaps " if one.verdict == "undecided" else ""
    bound = f"{100 * limit.bound:g} %" if limit.percent else _plain(limit.bound)
    method, _, quantity = one.found.name.rpartition(".")
    if quantity == "broken" and limit.percent:
        return f"{doubt}{_BEYOND[sign][0]} {bound} break{f' with {printable(method)}' if method else ''}"
    return f"{printable(one.found.name)} {doubt}{_BEYOND[sign][1]} {bound}"


def _others(gate: Gate, first: Judged) -> str:
    """Return how many other limits came out how, the worst first; empty if there are none."""
    verdicts: dict[Limit, list[str]] = {}
    for one in gate.judged:
        verdicts.setdefault(one.limit, []).append(one.verdict)
    # A limit of every method's figure came out as the worst of them.
    worst = [min(some, key=tuple(_MARKS).index) for limit, some in verdicts.items() if limit != first.limit]
    told = [(worst.count(verdict), verdict) for verdict in _MARKS]
    return ", ".join(f"{count(number, 'other limits')} {verdict}" for number, verdict in told if number)


def _plain(bound: float) -> str:
    return f"{bound:,.0f}" if bound == int(bound) else f"{bound:g}"


def _figure(one: Judged) -> str:
    found, in_percent = one.found, one.limit.percent
    if found.value is None or found.low is None or found.high is None:
        return "not known"
    value = percent(found.value) if in_percent else significant(found.value)
    if found.low == found.high:
        return value if found.settled else f"{value}, so far"
    ends = percent_between(found.low, found.high) if in_percent else between(found.low, found.high)
    return f"{value} (95 %: {ends})" + ("" if found.settled else ", so far")
