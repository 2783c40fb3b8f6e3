"""Margin between the two most probable classes (Scheffer et al., IDA 2001; PCS in Zhang et al., "KuK", ICSE 2020)."""

from torch import Tensor

from unnerve.measure.scores._others import others

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
    rest = others(probabilities)
    return rest.sum(dim=-1) + rest.amax(dim=-1)
