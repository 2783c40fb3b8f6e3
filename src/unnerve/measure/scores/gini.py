"""Gini impurity (Feng et al., "DeepGini", ISSTA 2020)."""

from torch import Tensor

from unnerve.measure.scores._others import others

__all__ = ["gini"]


def gini(probabilities: Tensor) -> Tensor:
    r"""Gini impurity of the predicted class distribution.

    .. math:: \xi = 1 - \sum_{i=1}^{C} p_i^2

    It orders inputs as ``pv`` does, since the two differ by the constant ``1 - 1/C``; but of very sure answers, where
    ``pv`` is rounded to its lowest value, it keeps every difference.

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
    Feng et al., "DeepGini: Prioritizing Massive Tests to Enhance the Robustness of Deep Neural Networks", 2020.
    """
    rest = others(probabilities)
    # The same as one minus the sum of squares, without its rounding where the answer is sure.
    return rest.sum(dim=-1) * (1 + probabilities.amax(dim=-1)) - rest.square().sum(dim=-1)
