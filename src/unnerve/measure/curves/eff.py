"""Effective adversarial sample ratio (Zhang et al., "NSATP", DSA 2019; Li et al., "PEACEPACT", QRS 2020)."""

from torch import Tensor

__all__ = ["eff"]


def eff(successes: Tensor) -> Tensor:
    r"""Share of an input's perturbed copies that change the prediction.

    .. math:: \mathrm{Eff}(s) = M_e / M

    Parameters
    ----------
    successes : bool Tensor of shape (N, M)
        Whether try m of input n changed the predicted class.

    Returns
    -------
    Tensor of shape (N,)
        In ``[0, 1]``: 0 if no try succeeded, 1 if all did.

    References
    ----------
    Zhang et al., "A Noise-Sensitivity-Analysis-Based Test Prioritization Technique for Deep Neural Networks", 2019.
    """
    return successes.float().mean(dim=-1)
