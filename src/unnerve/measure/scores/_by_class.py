"""What the surprise scores share: rows that are compared with training inputs of the same answer."""

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["by_class"]


def by_class(neurons: Tensor, predicted: Tensor, surprise: Callable[[Tensor, int], Tensor]) -> Tensor:
    """Return surprise(neurons (M, U) in double precision, class) -> (M,) of each row, class by class: (N,)."""
    found = torch.zeros(len(neurons), dtype=torch.float64)
    for number in predicted.unique().tolist():
        rows = (predicted == number).nonzero().flatten()
        found[rows] = surprise(neurons.index_select(0, rows).double(), int(number))
    return found
