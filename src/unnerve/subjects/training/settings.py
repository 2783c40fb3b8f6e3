"""What can be said of a training beside its recipe; the command's options are these fields."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unnerve.subjects.faults._fault import Fault

__all__ = ["TrainSettings"]


@dataclass(frozen=True)
class TrainSettings:
    """What is left out of a training, what goes wrong in it, and what it is measured on.

    Parameters
    ----------
    test : data, optional
        Data to measure accuracy on; of a name its test split.
    exclude : data, optional
        Data whose inputs shall not be trained on.
    fault : str or Fault, optional
        What shall go wrong, with settings such as ``polluted:alpha=0.2,class=3``.
    resume : bool
        Keep the state after each epoch beside the weights, and go on from it if it is there.
    """

    test: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    exclude: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    fault: "str | Fault | None" = field(default=None, metadata={"kind": "fault"})
    resume: bool = False
