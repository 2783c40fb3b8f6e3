"""The model under test as other libraries know models: a module of torch, with every pass charged to its seed."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Differentiable, Observation
from unnerve.core.wrappers.metering import Metered

__all__ = ["Facade"]


class Facade(nn.Module):
    """A module from inputs (N, ...) to logits (N, C) behind which the metered model answers.

    One query is charged for every row that goes forward and one for every row that goes backward. Passes are run like
    those of any hunter, so a row's answer does not depend on the company it is in. A backward pass repeats the forward
    pass, which is not charged again: a library that asks for an answer and a gradient pays what `pgd` pays.

    Parameters
    ----------
    model : Metered
    rows : int64 Tensor of shape (B,)
        The seeds that are attacked.
    centre : Tensor of shape (B, ...)
        Their inputs.
    classes : int
        C.
    """

    def __init__(self, model: Metered, rows: Tensor, centre: Tensor, classes: int) -> None:
        super().__init__()
        self.metered, self.rows, self.centre, self.classes = model, rows, centre, classes
        # Libraries ask a module's first parameter where it lives.
        self.home = nn.Parameter(torch.empty(0), requires_grad=False)
        self.latest: tuple[Tensor, Tensor] | None = None
        self.asked = torch.zeros(len(rows), dtype=torch.bool)
        self.eval()

    def forward(self, x: Tensor) -> Tensor:
        """Answer with logits that can be differentiated with respect to ``x``."""
        if len(x) == 0:
            return x.new_zeros((0, self.classes))
        places = self._places(x)
        self.latest = x.detach().clone(), places
        logits: Tensor = _Pass.apply(x, self.metered, self.rows[places])  # type: ignore[no-untyped-call]
        self.asked[places] = True
        return logits

    def __deepcopy__(self, memo: dict[int, Any]) -> "Facade":
        return self  # the passes of a copy count too

    def last(self) -> tuple[Tensor, Tensor]:
        """Return what was asked about last, one input for each seed in it, and whose they are: (K, ...), int64 (K,)."""
        if self.latest is None:
            return self.centre[:0], self.rows[:0]
        inputs, places = self.latest
        first = {place: row for row, place in reversed(list(enumerate(places.tolist())))}
        chosen = sorted(first)
        return inputs[[first[place] for place in chosen]], self.rows[chosen]

    def _places(self, x: Tensor) -> Tensor:
        """Say which of the seeds each row belongs to: int64 (N,)."""
        if len(self.rows) == 1:
            return torch.zeros(len(x), dtype=torch.int64)
        if len(x) == len(self.rows):
            return torch.arange(len(x))
        # Libraries leave out rows, or cut batches into parts, without saying which: an attack stays near its seed.
        return torch.cdist(x.detach().flatten(1).float(), self.centre.flatten(1)).argmin(dim=1)


class _Pass(torch.autograd.Function):
    """A forward pass now, and a backward pass if anybody wants one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, model: Metered, rows: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        ctx.model, ctx.rows = model, rows
        return model.of(rows).observe(x).logits

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, weights: Tensor) -> tuple[Tensor, None, None]:
        (x,), metered = ctx.saved_tensors, ctx.model
        model = metered.model
        if Capability.GRADIENTS not in model.offers or not isinstance(model, Differentiable):
            usual = "choose one that sees answers only, or give an nn.Module"
            remedy = metered.remedy(Capability.GRADIENTS) or usual
            raise InvalidSetting(f"the attack asks for gradients, which {model.name} does not offer; {remedy}")
        metered.charge(ctx.rows, 1)
        _, gradient, _ = model.gradient(x, _weighted, weights)
        return gradient.to(x.dtype), None, None


def _weighted(seen: Observation, weights: Tensor) -> Tensor:
    """Return the sum of the logits by weights (N, C), whose gradient is the one that is wanted: (N,)."""
    return (seen.logits * weights).sum(dim=1)
