"""Silencing neurons one after the other: what is left of the loss, or of its change, on the way."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.measure.reactions._game import Game

__all__ = ["Walks"]

_WALKERS = 64
_STRIDE = 32


@dataclass(frozen=True, eq=False)
class Walks:
    """Ways from all neurons to none, in given orders.

    Parameters
    ----------
    game : Game
    tolerance : float
        A way is given up once its worth stays within this of that of silence; 0 to go to every end.
    patience : int
        Neurons for which it must have stayed so, beyond the first.
    """

    game: Game
    tolerance: float = 0.0
    patience: int = 0

    def worth(self, x: Tensor, owners: Tensor, ranks: Tensor, clean: Tensor | None = None) -> Tensor:
        """Return what is left after 0, 1, ..., U neurons were silenced.

        Parameters
        ----------
        x, owners
            R inputs and the seeds they belong to.
        ranks : int64 Tensor of shape (R, K, U)
            When each neuron is silenced, in each of K orders.
        clean : float64 Tensor of shape (R, K, U + 1), optional
            What to compare with: the same of the seeds.

        Returns
        -------
        float64 Tensor of shape (R, K, U + 1)
            The loss, or by how much it exceeds ``clean``.
        """
        rows, orders, players = ranks.shape
        worth = torch.zeros(rows, orders, players + 1, dtype=torch.float64) if clean is None else -clean
        # All neurons and none: the same at the ends of every order, so they are asked for once.
        ends = x.new_tensor([1.0, 0.0]).view(1, 2, 1).expand(rows, 2, players)
        worth[..., [0, -1]] += self.game.losses(x, owners, ends).unsqueeze(1)
        flat, order = worth.flatten(0, 1), ranks.flatten(0, 1)
        for walkers in torch.arange(rows * orders).split(_WALKERS):
            own = walkers // orders
            flat[walkers] = self._followed(x[own], owners[own], order[walkers], flat[walkers])
        return flat.view_as(worth)

    def _followed(self, x: Tensor, owners: Tensor, ranks: Tensor, worth: Tensor) -> Tensor:
        """Fill in what lies between the ends, for W ways at once: (W, U + 1)."""
        going, players = torch.arange(len(x)), ranks.shape[1]
        for first in range(1, players, _STRIDE):
            steps = torch.arange(first, min(players, first + _STRIDE))
            masks = (ranks[going].unsqueeze(1) >= steps.view(-1, 1)).float()
            worth[going.unsqueeze(1), steps] += self.game.losses(x[going], owners[going], masks)
            settled = self._settled(worth[going], int(steps[-1]))
            if bool(settled.any()):
                worth[going[settled]] = _shared_out(worth[going[settled]], int(steps[-1]))
                going = going[~settled]
            if len(going) == 0:
                break
        return worth

    def _settled(self, worth: Tensor, last: int) -> Tensor:
        """Say which ways have come so near to silence that the rest does not matter: bool (W,)."""
        if self.tolerance == 0 or last <= self.patience:
            return torch.zeros(len(worth), dtype=torch.bool)
        # One value near silence may be chance on the way past it; only several in a row end a walk, as in the
        # reference.
        near = (worth[:, 1 : last + 1] - worth[:, -1:]).abs() <= self.tolerance
        return near.unfold(1, self.patience + 1, 1).all(dim=2).any(dim=1)


def _shared_out(worth: Tensor, last: int) -> Tensor:
    """Go straight from the last step to the end, so that the neurons not yet silenced have equal parts."""
    left = worth.shape[1] - 1 - last
    shares = torch.arange(left + 1, dtype=torch.float64) / left
    worth[:, last:] = torch.lerp(worth[:, last : last + 1], worth[:, -1:], shares)
    return worth
