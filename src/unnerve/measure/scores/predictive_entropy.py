"""Predictive entropy (Gal and Ghahramani, ICML 2016; Zhang et al., "KuK", ICSE 2020, Def. 7)."""

import torch
from torch import Tensor

__all__ = ["predictive_entropy"]


def predictive_entropy(draws: Tensor) -> Tensor:
    r"""Entropy of the class distribution averaged over the dropout draws, in nats.

    .. math:: \mathrm{PE} = -\sum_{i=1}^{C} \bar p_i \log \bar p_i, \quad \bar p_i = \frac{1}{T} \sum_{k=1}^{T} p_i^k

    Parameters
    ----------
    draws : Tensor of shape (T, N, C)
        Class probabilities under each of T dropout masks.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, ln C]``: zero if all draws give one class everything, largest if their average is uniform.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """
    average = draws.mean(dim=0)
    return -torch.xlogy(average, average).sum(dim=-1)
