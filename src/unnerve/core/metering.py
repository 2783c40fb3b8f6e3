"""Counting queries: one for a forward pass of one input, one for a backward pass, charged to the input's seed."""

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.model import (
    Capability,
    Classifier,
    Differentiable,
    Instrumented,
    Loss,
    Observation,
    Stochastic,
    Want,
    require,
)
from unnerve.core.neurons import NeuronMap

__all__ = ["BudgetSpent", "Meter", "Metered"]


class BudgetSpent(Exception):
    """A pass was not run because it would have exceeded a seed's budget."""


class Meter:
    """Queries spent for each of N seeds.

    Parameters
    ----------
    seeds : int
        N.
    budget : int or None
        Most queries per seed; None for no limit.
    """

    def __init__(self, seeds: int, budget: int | None = None) -> None:
        if budget is not None and budget < 1:
            raise InvalidSetting(f"the budget must be >= 1 query, got {budget}")
        self.spent = torch.zeros(seeds, dtype=torch.int64)
        self.budget = budget

    def charge(self, rows: Tensor, each: int) -> None:
        """Charge ``each`` queries for every entry of ``rows`` (seed numbers), or raise :class:`BudgetSpent`."""
        cost = torch.bincount(rows, minlength=len(self.spent)) * each
        if self.budget is not None and bool((self.spent + cost > self.budget).any()):
            raise BudgetSpent
        self.spent += cost


class Metered:
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
        self.model = model
        self.meter = meter
        self.rows = rows
        self.part = part

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    @property
    def offers(self) -> Capability:
        """What the model offers."""
        return self.model.offers

    def of(self, rows: Tensor) -> "Metered":
        """Return a view for inputs that belong to these seeds, int64 (N,)."""
        return Metered(self.model, self.meter, rows if self.part is None else self.part[rows])

    def among(self, part: Tensor) -> "Metered":
        """Return a view for who knows only these seeds, int64 (S,), and counts them from 0."""
        return Metered(self.model, self.meter, part=part)

    def charge(self, rows: Tensor, each: int) -> None:
        """Charge for passes over inputs of these seeds, int64 (N,), that somebody else will run."""
        self.meter.charge(rows if self.part is None else self.part[rows], each)

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return the model's identity."""
        return self.model.identity(shape)

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Charge one query a row, then run the pass."""
        self.meter.charge(self._owners(x), 1)
        return self.model.observe(x, want)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Charge one query a row for the forward pass and one for each backward pass, and run them."""
        require(self.model, Capability.GRADIENTS, "a gradient")
        assert isinstance(self.model, Differentiable)
        owners = self._owners(x)
        self.meter.charge(owners, 2)
        values, gradients, seen = self.model.gradient(x, loss, targets, want)
        if values.ndim > 1:
            self.meter.charge(owners, values.shape[1] - 1)
        return values, gradients, seen

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the model's neurons, without charge."""
        return self._instrumented().neuron_map(x)

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Charge one query a row and mask, then run the passes."""
        model = self._instrumented()
        self.meter.charge(self._owners(x), masks.shape[1])
        return model.silenced(x, masks)

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Charge two queries a row and mask, one for the forward and one for the backward pass, and run them."""
        model = self._instrumented()
        self.meter.charge(self._owners(x), 2 * masks.shape[1])
        return model.mask_gradient(x, masks, loss, targets)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Charge one query a row and draw, also where draws share a part of the pass, and run them."""
        require(self.model, Capability.DROPOUT, "a dropout draw")
        assert isinstance(self.model, Stochastic)
        self.meter.charge(self._owners(x), masks.draws)
        return self.model.samples(x, masks)

    def _instrumented(self) -> Instrumented:
        require(self.model, Capability.NEURONS, "looking at neurons")
        assert isinstance(self.model, Instrumented)
        return self.model

    def _owners(self, x: Tensor) -> Tensor:
        if self.rows is None or len(self.rows) != len(x):
            raise RuntimeError("say whose rows these are: model.of(rows).observe(x)")
        return self.rows
