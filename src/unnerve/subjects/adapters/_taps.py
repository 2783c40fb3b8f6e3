"""Watching neurons by forward hooks that keep one number per channel and drop the feature map at once."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._wiring import Wiring, first_tensor, hooked

__all__ = ["Taps", "tapped"]


class Taps:
    """Values of the chosen layers of one pass, in calling order; their ranges too, if they are wanted.

    Parameters
    ----------
    wiring : Wiring
    who : str
        The model's name, for errors.
    ranged : bool
        Whether ranges are wanted.
    """

    def __init__(self, wiring: Wiring, who: str, ranged: bool = False) -> None:
        self.wiring, self.who, self.ranged = wiring, who, ranged
        self._names: list[str] = []
        self._values: list[Tensor] = []
        self._extents: list[Tensor] = []

    def keep(self, name: str, output: object) -> None:
        """Keep what one call showed."""
        place = len(self._names)
        self._names.append(name)
        planned, axes = self.wiring.calls[place] if place < len(self.wiring.calls) else ("", None)
        tensor = first_tensor(output)
        if name != planned or axes is None or tensor is None:
            return
        self._values.append(axes.means(tensor))
        if self.ranged:
            self._extents.append(axes.extents(tensor))

    def neurons(self, logits: Tensor) -> Tensor:
        """Return all values side by side, shape (N, U)."""
        self.wiring.check(self._names, self.who)
        return torch.cat([*self._values, *([logits.softmax(dim=-1)] if self.wiring.softmax else [])], dim=1)

    def ranges(self, logits: Tensor) -> Tensor:
        """Return least and largest value of every layer, shape (N, L, 2)."""
        last = logits.softmax(dim=-1)
        softmax = [torch.stack([last.amin(dim=1), last.amax(dim=1)], dim=1)] if self.wiring.softmax else []
        return torch.stack([*self._extents, *softmax], dim=1)


@contextmanager
def tapped(module: nn.Module, wiring: Wiring, who: str, ranged: bool = False) -> Iterator[Taps]:
    """Watch the layers of a wiring, while the context lasts."""
    taps = Taps(wiring, who, ranged)
    with hooked(module, {name for name, _ in wiring.calls}, taps.keep):
        yield taps
