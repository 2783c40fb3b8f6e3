"""Variation ratio for the original prediction (Zhang et al., "KuK", ICSE 2020, Def. 6)."""

from torch import Tensor

__all__ = ["vro"]


def vro(draws: Tensor, probabilities: Tensor) -> Tensor:
    r"""Share of the dropout draws that do not predict what the model predicts without dropout.

    .. math:: \mathrm{VRO} = 1 - \frac{1}{T} \sum_{k=1}^{T} [\arg\max_i p_i^k = \arg\max_i p_i]

    Parameters
    ----------
    draws : Tensor of shape (T, N, C)
        Class probabilities under each of T dropout masks.
    probabilities : Tensor of shape (N, C)
        Without dropout.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, 1]``: zero if every draw keeps the prediction, one if none does; never below ``vr``.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """
    kept = draws.argmax(dim=-1) == probabilities.argmax(dim=-1)
    return 1 - kept.to(draws.dtype).mean(dim=0)
