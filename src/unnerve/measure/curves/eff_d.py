"""Effectiveness of a distance metric, Eff-D (Zhang et al., "NSATP", DSA 2019, IV-C and Table VI)."""

from collections.abc import Mapping

__all__ = ["eff_d"]


def eff_d(decays: Mapping[str, float]) -> dict[str, str]:
    """Mark each score by how steeply Eff falls along its order.

    Parameters
    ----------
    decays : mapping of str to float
        For each score the rate b of its exponential fit; the steeper, the better.

    Returns
    -------
    dict of str to str
        ``Best`` for the largest ``abs(b)``, ``Worst`` for the smallest, ``Middle`` for the others; scores whose
        fit failed (NaN) are marked ``-``.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    # NaN, which is not equal to itself, stands for a score without a fit: it gets no mark.
    order = sorted((name for name in decays if decays[name] == decays[name]), key=lambda name: -abs(decays[name]))
    marks = dict.fromkeys(decays, "-") | dict.fromkeys(order, "Middle")
    if order:
        marks[order[-1]] = "Worst"
        marks[order[0]] = "Best"
    return marks
