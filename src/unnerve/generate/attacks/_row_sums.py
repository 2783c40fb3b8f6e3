"""Sums over the values of each input, with the same bits alone and in company."""

from torch import Tensor

__all__ = ["row_sums"]


def row_sums(x: Tensor) -> Tensor:
    """Return the sum of each row of ``x``, shape (N, ...): (N,).

    Halves are added value by value, so the order is the same for any N, memory layout, processor and number of threads.
    """
    # torch's own sum splits one long row among threads, but gives each of many rows to one of them.
    parts = x.flatten(1)
    while parts.shape[1] > 1:
        half = (parts.shape[1] + 1) // 2
        first, second = parts[:, :half].clone(), parts[:, half:]
        first[:, : second.shape[1]] += second
        parts = first
    return parts[:, 0]
