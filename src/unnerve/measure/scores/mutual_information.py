"""Mutual information of answer and weights (Houlsby et al., 2011; Zhang et al., "KuK", ICSE 2020, Def. 8)."""

import torch
from torch import Tensor

__all__ = ["mutual_information"]


def mutual_information(draws: Tensor) -> Tensor:
    r"""How much the dropout draws contradict each other: entropy of their average minus their average entropy, in nats.

    .. math:: \mathrm{MI} = \mathrm{PE} + \frac{1}{T} \sum_{k=1}^{T} \sum_{i=1}^{C} p_i^k \log p_i^k

    Parameters
    ----------
    draws : Tensor of shape (T, N, C)
        Class probabilities under each of T dropout masks.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, ln C]``: zero if all draws agree, however unsure each is; largest if each is sure of another class.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """
    average = draws.mean(dim=0)
    surplus = torch.xlogy(draws, draws).mean(dim=0) - torch.xlogy(average, average)
    # Never negative by Jensen's inequality, but rounding does not know that.
    return surplus.sum(dim=-1).clamp_min(0)
