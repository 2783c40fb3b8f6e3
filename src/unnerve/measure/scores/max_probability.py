"""Least confidence (Lewis and Gale, SIGIR 1994; the baseline of Hendrycks and Gimpel, ICLR 2017)."""

from torch import Tensor

from unnerve.measure.scores._others import others

__all__ = ["max_probability"]


def max_probability(probabilities: Tensor) -> Tensor:
    r"""One minus the largest class probability.

    .. math:: 1 - \max_i p_i

    Parameters
    ----------
    probabilities : Tensor of shape (N, C)
        Rows sum to one.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, 1 - 1/C]``: zero if one-hot, largest if uniform.

    References
    ----------
    Hendrycks and Gimpel, "A Baseline for Detecting Misclassified and Out-of-Distribution Examples", 2017.
    """
    return others(probabilities).sum(dim=-1)
