"""Improvement over random order (Zhang et al., "NSATP", DSA 2019, IV-C)."""

__all__ = ["inc"]


def inc(random: float, ranked: float) -> float:
    r"""Share of the random order's F-measure that a ranking saves.

    .. math:: \mathrm{Inc} = (R - A) / R

    Parameters
    ----------
    random, ranked : float
        F-measures R and A, positive.

    Returns
    -------
    float
        At most 1; 0 if there is no difference, negative if the ranking does harm. The papers print it in percent.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    return (random - ranked) / random
