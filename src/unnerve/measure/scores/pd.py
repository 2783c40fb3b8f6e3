"""Probability difference (Zhang et al., "NSATP", DSA 2019, Eq. 1; Li et al., "PEACEPACT", QRS 2020, Eq. 3)."""

import torch
from torch import Tensor

__all__ = ["pd"]


def pd(probabilities: Tensor) -> Tensor:
    r"""Negated probability difference: how little the sorted class probabilities differ.

    .. math:: \mathrm{PD} = \sum_{i=1}^{C-1} \frac{p_{(i)} - p_{(i+1)}}{i}, \quad p_{(1)} \ge p_{(2)} \ge \dots

    Parameters
    ----------
    probabilities : Tensor of shape (N, C)
        Rows sum to one.

    Returns
    -------
    Tensor of shape (N,)
        In ``[-1, 0]``: -1 if one-hot, 0 if uniform; the papers' PD is its absolute value.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    ordered = probabilities.sort(dim=-1, descending=True).values
    ranks = torch.arange(1, probabilities.shape[-1], dtype=probabilities.dtype, device=probabilities.device)
    return ((ordered[..., 1:] - ordered[..., :-1]) / ranks).sum(dim=-1)
