"""Energy of the logits (Liu et al., NeurIPS 2020)."""

from torch import Tensor

__all__ = ["energy"]


def energy(logits: Tensor) -> Tensor:
    r"""Free energy at temperature one.

    .. math:: E(x) = -\log \sum_c e^{f_c(x)}

    It is meant for logits. Of a model that answers with probabilities, whose logarithms sum to one, it is 0 for every
    input.

    Parameters
    ----------
    logits : Tensor of shape (N, C)

    Returns
    -------
    Tensor of shape (N,)
        Unbounded: the lower, the more sure the model is that the input is like its training data.

    References
    ----------
    Liu et al., "Energy-based Out-of-distribution Detection", 2020.
    """
    return -logits.double().logsumexp(dim=-1)
