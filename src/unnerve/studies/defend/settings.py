"""What can be said of a test of defences; the command's options are these fields."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["DefendSettings"]


@dataclass(frozen=True)
class DefendSettings:
    """How to test defences.

    Parameters
    ----------
    inputs : int
        Clean inputs that defences are tested with: the first so many that the model gets right.
    calibration : int
        Clean inputs that detectors learn from: the last so many of the data, none of which is tested or was attacked.
    """

    inputs: int = 500
    calibration: int = 500

    def __post_init__(self) -> None:
        for name in ("inputs", "calibration"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
