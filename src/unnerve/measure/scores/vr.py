"""Variation ratio (Freeman, 1965; Gal and Ghahramani, ICML 2016; Zhang et al., "KuK", ICSE 2020, Def. 5)."""

import torch
from torch import Tensor

__all__ = ["vr"]


def vr(draws: Tensor) -> Tensor:
    r"""Share of the dropout draws that do not predict the most frequent class.

    .. math:: \mathrm{VR} = 1 - \frac{1}{T} \max_{c} \sum_{k=1}^{T} [\arg\max_i p_i^k = c]

    Parameters
    ----------
    draws : Tensor of shape (T, N, C)
        Class probabilities under each of T dropout masks.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, 1 - 1/C]``: zero if all draws agree, largest if every class is predicted equally often.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """
    votes = torch.nn.functional.one_hot(draws.argmax(dim=-1), draws.shape[-1])
    return 1 - votes.sum(dim=0).amax(dim=-1).to(draws.dtype) / len(draws)
