"""What can be said of a diagnosis; the command's options are these fields."""

from dataclasses import dataclass, field
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["DiagnoseSettings"]


@dataclass(frozen=True)
class DiagnoseSettings:
    """How a model is diagnosed.

    Parameters
    ----------
    train : data, optional
        What it was trained on (of a name its train split), for under- and overfitting; without it only pollution is
        looked for, in images of three or more classes.
    inputs : int
        The first so many inputs, of the data and of the training data.
    level : float
        A fault is named if its p-value is below, in (0, 1).
    patch : float
        Largest side of the patches that are stamped on images, as a share of the image's, in (0, 1].
    gap : float
        Overfitted is what is right on training data more often than on others by more than this, in [0, 1); say what is
        usual for the task.
    reachable : float
        Underfitted is what is right on training data less often than this, in (0, 1]; say what the task allows.
    seed : int
        The random seed: decides everything random.
    """

    train: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    inputs: int = 2000
    level: float = 0.01
    patch: float = 0.22
    gap: float = 0.02
    reachable: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        rules = [
            (self.inputs >= 1, f"the number of inputs must be >= 1, got {self.inputs}"),
            (0 < self.level < 1, f"level must be in (0, 1), got {self.level}"),
            (0 < self.patch <= 1, f"patch must be in (0, 1], got {self.patch}"),
            (0 <= self.gap < 1, f"gap must be in [0, 1), got {self.gap}"),
            (0 < self.reachable <= 1, f"reachable must be in (0, 1], got {self.reachable}"),
        ]
        for holds, message in rules:
            if not holds:
                raise InvalidSetting(message)
