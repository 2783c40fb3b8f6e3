"""Counting queries: one for a forward pass of one input, one for a backward pass, charged to the input's seed."""

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.model import Classifier, Loss, Observation, Want
from unnerve.core.wrappers.wrapped import Wrapped

__all__ = ["BudgetSpent", "Meter", "Metered"]


class BudgetSpent(Exception):
    """A pass was not run because it would have exceeded the budget."""


class Meter:
    """Queries spent for each of N seeds.

    Parameters
    ----------
    seeds : int
        N.
    budget : int or None
        Most queries per seed; None for no limit.
    shared : bool
        The seeds have one purse of N times the budget: what one does not spend, another may.
    """

    def __init__(self, seeds: int, budget: int | None = None, shared: bool = False) -> None:
        if budget is not None and budget < 1:
            raise InvalidSetting(f"the budget must be >= 1 query, got {budget}")
        self.spent = torch.zeros(seeds, dtype=torch.int64)
        self.budget = budget
        self.shared = shared

    def charge(self, rows: Tensor, each: int) -> None:
        """Charge ``each`` queries for every entry of ``rows`` (seed numbers), or raise :class:`BudgetSpent`."""
        cost = torch.bincount(rows, minlength=len(self.spent)) * each
        # All or nothing: a pass is one batch, and the rows of those who could pay cannot be run without the others'.
        if not bool(self.affords(cost).all()):
            raise BudgetSpent
        self.spent += cost

    def affords(self, cost: Tensor | int) -> Tensor:
        """Say for which seeds further queries, int64 (N,) or one number for each, fit into the budget: bool (N,)."""
        after = self.spent + cost
        if self.budget is None:
            return torch.ones(len(after), dtype=torch.bool)
        if self.shared:
            further = int(cost.sum()) if isinstance(cost, Tensor) else cost
            fits = int(self.spent.sum()) + further <= self.budget * len(after)
            return torch.full((len(after),), fits)
        return after <= self.budget

    def per_seed(self, index: Tensor) -> Tensor:
        """Return how far each of these seeds, int64 (K,), is into its budget; those with one purse are equally far."""
        if not self.shared:
            return self.spent[index]
        return torch.full((len(index),), -(-int(self.spent.sum()) // max(1, len(self.spent))))


class Metered(Wrapped):
    """A model whose passes are charged; ask it through :meth:`of`, which says whose rows they are.

    Parameters
    ----------
    model : Classifier
    meter : Meter
    rows : Tensor of shape (N,), int64, or None
        The seed of each row of the next passes.
    part : Tensor of shape (S,), int64, or None
        The meter's numbers of the S seeds that take part, if not all do.
    """

    def __init__(self, model: Classifier, meter: Meter, rows: Tensor | None = None, part: Tensor | None = None) -> None:
        super().__init__(model)
        self.meter = meter
        self.rows = rows
        self.part = part

    def of(self, rows: Tensor) -> "Metered":
        """Return a view for inputs that belong to these seeds, int64 (N,)."""
        # A view, because whose rows the next pass has is known only to the caller; the meter behind it stays one.
        return Metered(self.model, self.meter, rows if self.part is None else self.part[rows])

    def among(self, part: Tensor) -> "Metered":
        """Return a view for who knows only these seeds, int64 (S,), and counts them from 0."""
        return Metered(self.model, self.meter, part=part)

    def charge(self, rows: Tensor, each: int) -> None:
        """Charge for passes over inputs of these seeds, int64 (N,), that somebody else will run."""
        self.meter.charge(rows if self.part is None else self.part[rows], each)

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Charge one query a row, then run the pass."""
        self.meter.charge(self._owners(x), 1)
        return super().observe(x, want)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Charge one query a row for the forward pass and one for each backward pass, and run them."""
        owners = self._owners(x)
        self.meter.charge(owners, 2)
        further_charged = False

        def charging(seen: Observation, some: Tensor) -> Tensor:
            # Only the loss knows how many gradients are wanted, and it is called before the first backward pass: what
            # the budget does not cover is refused here, not counted afterwards.
            nonlocal further_charged
            values = loss(seen, some)
            if values.ndim > 1 and not further_charged:
                self.meter.charge(owners, values.shape[1] - 1)
                further_charged = True
            return values

        return super().gradient(x, charging, targets, want)

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Charge one query a row, then compare; the clean inputs were charged for when they were first observed."""
        self.meter.charge(self._owners(x), 1)
        return super().layer_moves(x, clean, owners)

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Charge one query a row and mask, then run the passes."""
        self.meter.charge(self._owners(x), masks.shape[1])
        return super().silenced(x, masks)

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Charge two queries a row and mask, one for the forward and one for the backward pass, and run them."""
        self.meter.charge(self._owners(x), 2 * masks.shape[1])
        return super().mask_gradient(x, masks, loss, targets)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Charge one query a row and draw, also where draws share a part of the pass, and run them."""
        self.meter.charge(self._owners(x), masks.draws)
        return super().samples(x, masks)

    def observed_samples(self, x: Tensor, masks: Masks) -> tuple[Observation, Tensor]:
        """Charge one query a row and one for each draw, and run them."""
        self.meter.charge(self._owners(x), 1 + masks.draws)
        return super().observed_samples(x, masks)

    def drawn_gradient(
        self, x: Tensor, masks: Masks, loss: Loss, targets: Tensor
    ) -> tuple[Tensor, Tensor, Observation]:
        """Charge two queries a row, one for the forward and one for the backward pass, and run them."""
        self.meter.charge(self._owners(x), 2)
        return super().drawn_gradient(x, masks, loss, targets)

    def _owners(self, x: Tensor) -> Tensor:
        if self.rows is None or len(self.rows) != len(x):
            raise RuntimeError("say whose rows these are: model.of(rows).observe(x)")
        return self.rows
