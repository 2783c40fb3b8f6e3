"""What can be said of a measurement of robustness; the command's options are these fields."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.core.methods import Space

__all__ = ["ATTACK_SUCCESS", "ScoreSettings"]

ATTACK_SUCCESS = "attack_success"


@dataclass(frozen=True)
class ScoreSettings:
    """How robustness is measured.

    Parameters
    ----------
    measure : str or RobustnessMeasure
        ``attack_success``, or a measure with its settings, such as ``clever:norm=linf,radius=0.3``.
    inputs : int
        The first so many inputs.
    attacks : str or list of hunters, optional
        Of attack_success: hunters; an input is broken if one of them breaks it. By default apgd, square and deepfool,
        or square alone for a model without gradients.
    region : str or Space, optional
        Of attack_success: where changed inputs may lie; as for hunt by default.
    queries : int, optional
        Of attack_success: most queries per input and attack; by default the attack's own end.
    seed : int
        The random seed: decides everything random.
    """

    measure: "str | Any" = field(default="clever", metadata={"kind": "robustness measure"})
    inputs: int = 100
    attacks: "str | Any | None" = field(default=None, metadata={"kind": "hunter"})
    region: "str | Space | None" = field(default=None, metadata={"kind": "region"})
    queries: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        given = [name for name in ("attacks", "region", "queries") if getattr(self, name) is not None]
        if given and self.measure != ATTACK_SUCCESS:
            raise InvalidSetting(f"--{given[0]} is for --measure attack_success, got '{self.measure}'")
