"""Margin between the two most probable classes (Scheffer et al., IDA 2001; PCS in Zhang et al., "KuK", ICSE 2020)."""

from torch import Tensor

__all__ = ["margin"]


def margin(probabilities: Tensor) -> Tensor:
    r"""One minus the prediction confidence score.

    .. math:: 1 - \mathrm{PCS} = 1 - (p_{(1)} - p_{(2)})

    Parameters
    ----------
    probabilities : Tensor of shape (N, C)
        Rows sum to one.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, 1]``: zero if one-hot, one if the two largest are equal.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """
    top = probabilities.topk(2, dim=-1).values
    return 1 - (top[..., 0] - top[..., 1])
