"""The unit cube: where the parameters of a perturbation live."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.streams import Streams

__all__ = ["Cube"]


@dataclass(frozen=True)
class Cube:
    """All points with coordinates in ``[0, 1)``, whatever the seed: a search space for perturbations, not for pixels.

    References
    ----------
    Su et al., "One Pixel Attack for Fooling Deep Neural Networks", 2019.
    """

    def project(self, x: Tensor, centre: Tensor) -> Tensor:
        """Clamp ``x``, shape (N, ...) or (N, P, ...), in place; the seed does not matter."""
        # Below one, because a perturbation multiplies a parameter by the number of places and cuts off: at one it would
        # point behind the last.
        return x.clamp_(0, 1 - 2**-16)

    def contains(self, x: Tensor, centre: Tensor) -> Tensor:
        """Say which rows lie inside: bool (N,)."""
        return (x.flatten(1).amin(dim=1) >= 0) & (x.flatten(1).amax(dim=1) < 1)

    def samples(self, centre: Tensor, streams: Streams, step: int, count: int) -> Tensor:
        """Draw ``count`` points per row uniformly: (N, count, ...)."""
        return streams.uniform(step, 0, (count, *centre.shape[1:]))
