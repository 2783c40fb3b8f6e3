"""Probability variance (Zhang et al., "NSATP", DSA 2019, Eq. 2)."""

from torch import Tensor

from unnerve.measure.scores.gini import gini

__all__ = ["pv"]


def pv(probabilities: Tensor) -> Tensor:
    r"""Negated spread of the class probabilities around their mean.

    .. math:: \mathrm{PV} = \sum_{i=1}^{C} (p_i - \bar p)^2

    A sum, not a mean: only so do the paper's vectors give its printed 0.80 and 0.59.

    Parameters
    ----------
    probabilities : Tensor of shape (N, C)
        Rows sum to one.

    Returns
    -------
    Tensor of shape (N,)
        In ``[1/C - 1, 0]``: lowest if one-hot, 0 if uniform.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    # The sum of squares minus 1/C, written with the impurity, so that no input overtakes another by rounding.
    return gini(probabilities) - (1 - 1 / probabilities.shape[-1])
