"""What the seeds of a campaign cover, and what each method's findings add: figures that can be kept and read again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unnerve.core.errors import InvalidData

__all__ = ["CoverageGains", "Gain"]


@dataclass(frozen=True)
class Gain:
    """What is covered by one criterion.

    Parameters
    ----------
    settings : dict
        The criterion, as the catalogue describes it.
    total : int or None
        Obligations there are, or None where nobody knows (tknp).
    alone : int
        Obligations that the seeds meet.
    together : dict of str to int
        By method: those that the seeds and its findings meet.
    """

    settings: Mapping[str, Any]
    total: int | None
    alone: int
    together: Mapping[str, int]

    def value(self, method: str | None = None) -> float:
        """Return the coverage of the seeds, alone or with a method's findings: a share, or a number without a total."""
        covered = self.alone if method is None else self.together[method]
        return covered if self.total is None else covered / self.total

    def gained(self, method: str) -> float:
        """Return what a method's findings add to the coverage of the seeds."""
        added = self.together[method] - self.alone
        return added if self.total is None else added / self.total


@dataclass(frozen=True)
class CoverageGains:
    """What the seeds of a campaign cover, and what each method's findings add.

    Parameters
    ----------
    neurons : int
        How many count.
    chosen_by : str
        The filter that chose them.
    profile_inputs : int or None
        Inputs that the neurons' ranges are from.
    seeds : int
        Seeds that were hunted.
    findings : dict of str to int
        How many each method had found by then.
    criteria : dict of str to Gain
    """

    neurons: int
    chosen_by: str
    profile_inputs: int | None
    seeds: int
    findings: Mapping[str, int]
    criteria: Mapping[str, Gain]

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON: shares or numbers, and the counts that they come from."""
        return {
            "neurons": self.neurons,
            "filter": self.chosen_by,
            "profile_inputs": self.profile_inputs,
            "seeds": self.seeds,
            "findings": dict(self.findings),
            "criteria": {key: _to_json(gain) for key, gain in self.criteria.items()},
        }

    @classmethod
    def from_json(cls, value: Any) -> "CoverageGains":
        """Read what :meth:`to_json` wrote; anything else is refused."""
        try:
            return cls(
                neurons=_number(value["neurons"]),
                chosen_by=_text(value["filter"]),
                profile_inputs=_maybe_number(value["profile_inputs"]),
                seeds=_number(value["seeds"]),
                findings={_text(key): _number(count) for key, count in value["findings"].items()},
                criteria={_text(key): _from_json(one) for key, one in value["criteria"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise InvalidData(f"coverage.json is damaged; --coverage measures again: {problem}") from problem


def _to_json(gain: Gain) -> dict[str, Any]:
    return {
        **gain.settings,
        "value": gain.value(),
        "gain": {method: gain.gained(method) for method in gain.together},
        "total": gain.total,
        "covered": gain.alone,
        "covered_with": dict(gain.together),
    }


_FIGURES = ("value", "gain", "total", "covered", "covered_with")


def _from_json(value: Mapping[str, Any]) -> Gain:
    gain = Gain(
        settings={key: one for key, one in value.items() if key not in _FIGURES},
        total=_maybe_number(value["total"]),
        alone=_number(value["covered"]),
        together={_text(key): _number(count) for key, count in value["covered_with"].items()},
    )
    most = gain.total if gain.total is not None else float("inf")
    # The file may be a stranger's: figures that cannot be true are told before a page shows them.
    if gain.total == 0 or not all(gain.alone <= count <= most for count in (gain.alone, *gain.together.values())):
        raise ValueError("findings cannot cover less than the seeds alone, or more than there is")
    return gain


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"a count must be a whole number >= 0, got {str(value)[:40]}")
    return value


def _maybe_number(value: Any) -> int | None:
    return None if value is None else _number(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a name must be text, got {str(value)[:40]}")
    return value
