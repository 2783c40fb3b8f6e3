"""Probability entropy (Zhang et al., "NSATP", DSA 2019, Eq. 3)."""

import torch
from torch import Tensor

__all__ = ["pe"]


def pe(probabilities: Tensor) -> Tensor:
    r"""Entropy of the predicted class distribution, in nats.

    .. math:: \mathrm{PE} = -\sum_{i=1}^{C} p_i \log p_i, \quad 0 \log 0 = 0

    Parameters
    ----------
    probabilities : Tensor of shape (N, C)
        Rows sum to one.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, ln C]``: zero if one-hot, largest if uniform.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    return -torch.xlogy(probabilities, probabilities).sum(dim=-1)
