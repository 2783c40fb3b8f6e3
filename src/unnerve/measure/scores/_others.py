"""The probabilities beside the largest, from which what is left for them is known to the last digit."""

from torch import Tensor

__all__ = ["others"]


def others(probabilities: Tensor) -> Tensor:
    """Return the probabilities with the largest of each row set to zero, (..., C).

    Their sum is one minus the largest probability. Written as that difference it would be rounded to multiples of
    1e-16 (6e-8 in single precision), and many sure answers would tie that do not.
    """
    return probabilities.scatter(-1, probabilities.argmax(dim=-1, keepdim=True), 0)
