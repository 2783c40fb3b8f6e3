"""Gini impurity (Feng et al., "DeepGini", ISSTA 2020)."""

from torch import Tensor

__all__ = ["gini"]


def gini(probabilities: Tensor) -> Tensor:
    r"""Gini impurity of the predicted class distribution.

    .. math:: \xi = 1 - \sum_{i=1}^{C} p_i^2

    It orders inputs exactly as ``pv`` does, since the two differ by the constant ``1 - 1/C``.

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
    return 1 - probabilities.square().sum(dim=-1)
