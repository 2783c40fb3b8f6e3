"""The columns of a table as tensors: in units of their spread, and back to valid rows."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from unnerve.core.data.features import Features

__all__ = ["FeatureTensors"]


@dataclass(frozen=True, eq=False)
class FeatureTensors:
    """Features as tensors of shape (F,), or () for inputs of which nothing is known: values in [0, 1] of one scale.

    Parameters
    ----------
    low, high : float64 Tensor
        The least and the largest value.
    lengths : float64 Tensor
        The standard deviation; 1 for columns that are left alone.
    free, whole : bool Tensor
        Which columns may change, and which hold whole numbers.
    """

    low: Tensor
    high: Tensor
    lengths: Tensor
    free: Tensor
    whole: Tensor

    @classmethod
    def of(cls, features: Features | None) -> "FeatureTensors":
        """Return the tensors of some features."""
        if features is None:
            one = torch.ones((), dtype=torch.float64)
            return cls(one - 1, one, one, one > 0, one < 0)
        columns = features.columns
        numbers = [[one.low, one.high, one.spread if one.changes else 1.0] for one in columns]
        # In double precision: a year next to a share, both in standard deviations, would lose the share's digits in
        # float32.
        low, high, lengths = torch.tensor(numbers, dtype=torch.float64).unbind(dim=1)
        whole = torch.tensor([one.kind == "whole" for one in columns])
        return cls(low, high, lengths, torch.tensor([one.changes for one in columns]), whole)

    @cached_property
    def widths(self) -> Tensor:
        """How wide the range of each column is, in its standard deviations, float32."""
        return self.measured(self.high)

    @cached_property
    def rounding(self) -> Tensor:
        """What a value may be off because it is rounded to float32, in standard deviations, float32."""
        return (self.low.abs().maximum(self.high.abs()) * 2**-23 / self.lengths).float()

    def measured(self, x: Tensor) -> Tensor:
        """Return values (..., F) in standard deviations from the least of their column; what is left alone stays."""
        values = x.double()
        return torch.where(self.free, (values - self.low) / self.lengths, values).float()

    def unmeasured(self, x: Tensor) -> Tensor:
        """Return what :meth:`measured` values stand for, float64."""
        values = x.double()
        return torch.where(self.free, values * self.lengths + self.low, values)

    def settled(self, x: Tensor, centre: Tensor) -> Tensor:
        """Return valid rows, (N, F) as the table holds them, for measured ones; none is farther from ``centre``."""
        seeds = centre.double()
        change = self.unmeasured(x).clamp(self.low, self.high) - seeds
        # A step of 2 that arrives as 1.99999 is a step of 2.
        steps = (change + change.sign() * 1e-4).trunc()
        valid = (seeds + torch.where(self.whole, steps, change)).float()
        # What a hunter left as it was keeps its very bits.
        return torch.where(self.free & (x != self.measured(centre)), valid, centre)
