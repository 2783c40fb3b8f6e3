"""The numbers of a verb's JSON by their keys, with their intervals where it has them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Quantity", "quantities"]


@dataclass(frozen=True)
class Quantity:
    """A number that a limit can be stated for.

    Parameters
    ----------
    name : str
        Its keys, with dots between them; that of a method's row begins with the method.
    value : float or None
    low, high : float or None
        Its 95 % interval; both the value itself where the number is exact, None where it is not known.
    counted : bool
        Whether it is a whole number, for which no limit in per cent makes sense.
    settled : bool
        Whether the run that it is of is complete.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    counted: bool = False
    settled: bool = True

    def is_named(self, name: str) -> bool:
        """Say whether a name means it: the whole name, the end of it for every method's, or a method's several."""
        return self.name.endswith(f".{name}") or f"{self.name}, ".startswith(f"{name}, ")


def quantities(figures: Mapping[str, Any]) -> list[Quantity]:
    """Return all numbers of a verb's JSON.

    Parameters
    ----------
    figures : dict
        As printed with ``--json``. Intervals stand in ``NAME_ci95``, in ``ci95: {NAME: [LOW, HIGH]}`` per input, or
        beside a ``value``.
    """
    return list(_found(figures, "", True))


def _found(figures: Mapping[str, Any], prefix: str, settled: bool) -> Iterator[Quantity]:
    settled = settled and bool(figures.get("complete", True)) and figures.get("could_not_afford") is None
    for key, value in figures.items():
        name = f"{prefix}{key}"
        if key == "rows" and isinstance(value, list):
            # The keys at the top repeat the row of a single method.
            rows = [row for row in value if isinstance(row, Mapping) and "method" in row and "method" not in figures]
            for row in rows:
                yield from _found(row, f"{prefix}{row['method']}.", settled)
        elif isinstance(value, Mapping) and {"value", "ci95"} <= value.keys():
            yield _quantity(name, value["value"], value["ci95"], settled)
        elif isinstance(value, Mapping) and key != "ci95":
            yield from _found(value, f"{name}.", settled)
        elif _is_number(value) or (value is None and f"{key}_ci95" in figures):
            yield _quantity(name, value, _interval(figures, key), settled)


def _interval(figures: Mapping[str, Any], key: str) -> Any:
    own, shared = figures.get(f"{key}_ci95"), figures.get("ci95")
    if own is None and isinstance(shared, Mapping) and key in shared:
        # Counts are sums over inputs; their intervals are of the mean of one.
        return [end * figures["inputs"] for end in shared[key]]
    return own if own is not None or f"{key}_ci95" in figures else [figures[key]] * 2


def _quantity(name: str, value: Any, interval: Any, settled: bool) -> Quantity:
    low, high = interval or (None, None)
    return Quantity(name, value, low, high, isinstance(value, int), settled)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
