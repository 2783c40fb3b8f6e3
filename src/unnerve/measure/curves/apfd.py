"""Average percentage of faults detected (Rothermel et al., IEEE TSE 2001)."""

from torch import Tensor

__all__ = ["apfd"]


def apfd(faults: Tensor) -> float:
    r"""Area under the curve of faults found over inputs tried.

    .. math:: \mathrm{APFD} = 1 - \frac{\sum_j TF_j}{n m} + \frac{1}{2n}

    Parameters
    ----------
    faults : bool Tensor of shape (N,)
        Whether the input at each place of the order reveals a fault of its own (m of n do).

    Returns
    -------
    float
        In ``(0, 1)``: 0.5 on average for a random order, ``1 - m/(2n)`` if all faults come first; NaN without faults.

    References
    ----------
    Rothermel et al., "Prioritizing Test Cases for Regression Testing", 2001.
    """
    count, found = len(faults), int(faults.sum())
    if found == 0:
        return float("nan")
    places = faults.nonzero().flatten().double() + 1
    return float(1 - places.sum() / (count * found) + 1 / (2 * count))
