"""How steadily a model answered while a campaign ran: the same inputs, asked again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unnerve.core.errors import InvalidData

__all__ = ["Stability"]


@dataclass(frozen=True)
class Stability:
    """What asking a model again about the same inputs showed.

    Parameters
    ----------
    inputs : int
        Seeds that were asked about again and again.
    passes : int
        How often, at the start and at the end together.
    changed : float
        Share of the answers, in ``[0, 1]``, that were another class than the first time.
    largest : float
        Largest difference of a probability, in ``[0, 1]``.
    reason : str or None
        Why the model is unstable, most likely; None if it is stable.
    proofs : int
        In how many runs each finding of an unstable model had to fail.
    """

    inputs: int
    passes: int
    changed: float
    largest: float
    reason: str | None = None
    proofs: int = 0

    @property
    def stable(self) -> bool:
        """Whether the model answers the same each time."""
        return self.reason is None

    def text(self) -> str:
        """Say it in one or two sentences."""
        asked = f"{self.inputs:,} inputs asked again {self.passes} times"
        if self.stable:
            return f"The model is stable: {asked}, no answer changed, probabilities by {self.largest:.2g} at most."
        return (
            f"The model is unstable: {self.reason}. Of {asked}, {self.changed:.1%} of the answers changed, and "
            f"probabilities by up to {self.largest:.2g}. Findings are kept only if they failed in {self.proofs} of "
            f"{self.proofs} runs."
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "stable": self.stable}

    @classmethod
    def from_json(cls, value: Any) -> "Stability":
        """Read what :meth:`to_json` wrote; raises if it is anything else."""
        if not isinstance(value, Mapping):
            raise InvalidData("stability.json must be an object")
        numbers = {key: value.get(key) for key in ("inputs", "passes", "proofs")}
        shares = {key: value.get(key) for key in ("changed", "largest")}
        reason = value.get("reason")
        if not all(type(one) is int and one >= 0 for one in numbers.values()) or not isinstance(reason, str | None):
            raise InvalidData("stability.json must count inputs, passes and proofs, and name a reason or none")
        if not all(isinstance(one, int | float) and 0 <= one <= 1 for one in shares.values()):
            raise InvalidData("stability.json must have shares in [0, 1]")
        return cls(**numbers, **shares, reason=reason)  # type: ignore[arg-type]
