"""Area under the receiver operating characteristic (Fawcett, 2006)."""

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData

__all__ = ["auroc"]


def auroc(suspect: Tensor, ordinary: Tensor) -> float:
    r"""Probability that a suspect input scores higher than an ordinary one; ties count half.

    .. math:: \mathrm{AUC} = P(s > o) + \tfrac{1}{2} P(s = o)

    Parameters
    ----------
    suspect : Tensor of shape (N,)
        Scores of the inputs that shall be told apart, higher = more suspect.
    ordinary : Tensor of shape (M,)

    Returns
    -------
    float
        In ``[0, 1]``: 0.5 if the score does not tell them apart, below it if it tells them the wrong way round; NaN
        if one of the two is empty.

    Raises
    ------
    InvalidData
        If a score is NaN: it is neither above nor below another. Infinite scores are as good as any.

    References
    ----------
    Fawcett, "An introduction to ROC analysis", 2006; the measure of Zhang et al., "KuK", 2020, Table 3.
    """
    for name, scores in (("suspect", suspect), ("ordinary", ordinary)):
        missing = int(torch.isnan(scores).sum())
        if missing:
            raise InvalidData(f"{name} scores must be numbers, got NaN in {missing} of {len(scores)}")
    if len(suspect) == 0 or len(ordinary) == 0:
        return float("nan")
    # By places in the sorted scores instead of all pairs: a million inputs would make 10^12 of those.
    below, at_most = (
        torch.searchsorted(ordinary.double().sort().values, suspect.double().contiguous(), right=right)
        for right in (False, True)
    )
    return float((below + at_most).double().mean() / (2 * len(ordinary)))
