"""Whether a run held the limits that its user stated."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.studies.gates.limit import Limit
from unnerve.studies.gates.quantities import Quantity, quantities

__all__ = ["Gate", "GateSettings", "Judged", "gate"]

_ORDER = ("broken", "undecided", "held")


@dataclass(frozen=True)
class GateSettings:
    """What a run must not do.

    Parameters
    ----------
    fail_if : list of str
        A limit such as "broken > 5%", of any number of the JSON output; may be repeated. Beyond it the run ends with
        exit code 1: only if its 95 % interval lies wholly beyond.
    undecided : str
        What to do where the interval holds the limit: pass, or fail.
    """

    fail_if: tuple[str, ...] = ()
    undecided: str = "pass"

    def __post_init__(self) -> None:
        self.limits  # noqa: B018 - settings are checked where they belong
        if self.undecided not in ("pass", "fail"):
            raise InvalidSetting(f"undecided must be pass or fail, got {self.undecided!r}")

    @property
    def limits(self) -> tuple[Limit, ...]:
        """What was stated."""
        return tuple(Limit.of(text) for text in self.fail_if)

    def check(self, shares: Collection[str], counts: Collection[str] = ()) -> None:
        """Raise before any work is done if a limit is of something that the verb does not measure.

        Parameters
        ----------
        shares, counts : collections of str
            Keys that the verb's JSON will have, at any depth.
        """
        for limit in self.limits:
            # A criterion may be followed by its settings, a key by those around it: nc:0.5, auc.pgd.vro.
            parts = {limit.quantity.partition(":")[0], *limit.quantity.split(".")}
            if not parts & {*shares, *counts}:
                listed = ", ".join([*shares, *counts])
                raise InvalidSetting(f"a limit must be of one of {listed}, got {limit.quantity!r}")
            if limit.percent and not parts & set(shares):
                raise InvalidSetting(f"a limit of {limit.quantity}, which is a count, must not be in %, got '{limit}'")


@dataclass(frozen=True)
class Judged:
    """A limit and what was found."""

    limit: Limit
    found: Quantity

    @property
    def verdict(self) -> str:
        """``broken``, ``held`` or ``undecided``."""
        return self.limit.verdict(self.found)

    def to_json(self) -> dict[str, Any]:
        """Return limit, quantity, value, interval and verdict."""
        own = self.found
        interval = None if own.low is None else [own.low, own.high]
        return {
            "fail_if": str(self.limit),
            "quantity": own.name,
            "value": own.value,
            "ci95": interval,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Gate:
    """Every limit and what was found.

    Parameters
    ----------
    judged : tuple of Judged
        At least one.
    undecided : str
        ``pass`` or ``fail``.
    """

    judged: tuple[Judged, ...]
    undecided: str = "pass"

    @property
    def verdict(self) -> str:
        """``broken`` if any limit is, else ``undecided`` if any is, else ``held``."""
        return min((one.verdict for one in self.judged), key=_ORDER.index)

    @property
    def passes(self) -> bool:
        """Whether the run ends well."""
        return self.verdict == "held" or (self.verdict == "undecided" and self.undecided == "pass")

    def to_json(self) -> dict[str, Any]:
        """Return the verdict, and each limit's."""
        return {"verdict": self.verdict, "passes": self.passes, "limits": [one.to_json() for one in self.judged]}


def gate(figures: Mapping[str, Any], fail_if: str | Sequence[str], undecided: str = "pass") -> Gate | None:
    """Judge a result by limits; None if there are none.

    Parameters
    ----------
    figures : dict
        What a result's ``summary()`` returns.
    fail_if : str, or sequence of str
        Such as ``"broken > 5%"`` or ``["broken > 5%", "errors > 100"]``. ``broken`` is that of every method,
        ``pgd.broken`` of one.
    undecided : str
        ``pass`` or ``fail``.

    Examples
    --------
    >>> from unnerve.studies.gates.gate import gate
    >>> gate({"nc": 0.42}, "nc < 50%").verdict
    'broken'
    """
    settings = GateSettings((fail_if,) if isinstance(fail_if, str) else tuple(fail_if), undecided)
    known = quantities(figures)
    # One limit may be of several figures, `broken` of every method; each is judged, and the worst verdict counts.
    judged = tuple(Judged(limit, one) for limit in settings.limits for one in _meant(limit, known))
    return Gate(judged, undecided) if judged else None


def _meant(limit: Limit, known: list[Quantity]) -> list[Quantity]:
    # A whole name goes first: `errors` of a single method is not `scores.pd.errors`.
    found = [one for one in known if one.name == limit.quantity] or [
        one for one in known if one.is_named(limit.quantity)
    ]
    group = limit.quantity.partition(".")[0]
    if not found and any(one.name.startswith(f"{group}.") for one in known):
        return [Quantity(limit.quantity, None, None, None)]  # as of an attack that found nothing
    if not found:
        listed = ", ".join(dict.fromkeys(one.name.partition(".")[0] for one in known))
        raise InvalidSetting(f"a limit must be of a number of the output ({listed}), got {limit.quantity!r}")
    if limit.percent and any(one.counted for one in found):
        raise InvalidSetting(f"a limit of {limit.quantity}, which is a count, must not be in %, got '{limit}'")
    return found
