"""What can be said of a reproduction; the command's options are these fields."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["ReproduceSettings"]


@dataclass(frozen=True)
class ReproduceSettings:
    """What to reproduce, and at which size.

    Parameters
    ----------
    full : bool
        The paper's size instead of about half an hour.
    seed : int
        The random seed: decides everything random.
    table : str, optional
        Run the cells of one table only, by its number in the paper: ``3`` or ``III``.
    only : str, optional
        Run only the cells with this word in their names: a network, a data set.
    inputs : int, optional
        Seeds of every network, for a pilot; of ``kuk``.
    stored : bool
        Tell of the finished parts in the folder anew, and run nothing.
    """

    full: bool = False
    seed: int = 0
    table: str | None = None
    only: str | None = None
    inputs: int | None = None
    stored: bool = False

    def __post_init__(self) -> None:
        if self.inputs is not None and self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        if self.seed < 0:
            raise InvalidSetting(f"seed must be >= 0, got {self.seed}")
