"""No information at all: the baseline that every score has to beat (RAND in Li et al., "PEACEPACT", QRS 2020)."""

from torch import Tensor

__all__ = ["random"]


def random(uniform: Tensor) -> Tensor:
    """Random order: each input's own uniform number.

    Parameters
    ----------
    uniform : Tensor of shape (N,)
        In ``[0, 1)``, drawn from each input's stream, so that the order depends on the run's seed and the ids alone.

    Returns
    -------
    Tensor of shape (N,)
        The same numbers; they say nothing about the input.

    References
    ----------
    Li et al., "PEACEPACT: Prioritizing Examples to Accelerate Perturbation-Based Adversary Generation", 2020.
    """
    return uniform.clone()
