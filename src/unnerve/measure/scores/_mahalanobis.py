"""Mahalanobis' distance from training inputs, whose neurons may depend on each other."""

import torch
from torch import Tensor

__all__ = ["mahalanobis", "whitening"]


def mahalanobis(rows: Tensor, fitted: tuple[Tensor, Tensor]) -> Tensor:
    """Return the distances (N,) of rows (N, U) from the points that :func:`whitening` was given."""
    mean, matrix = fitted
    distance: Tensor = ((rows - mean) @ matrix).norm(dim=1)
    return distance


def whitening(points: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean (U,) and the matrix (U, U) that gives all directions in which points vary the variance one."""
    values, vectors = torch.linalg.eigh(torch.cov(points.T, correction=0).reshape(points.shape[1], -1))
    # As the pseudo-inverse does: directions without variance, up to rounding, tell nothing.
    least = values.amax() * len(values) * torch.finfo(values.dtype).eps
    # One over the root of infinity is zero: such a direction has no part in the distance.
    return points.mean(dim=0), vectors * torch.where(values > least, values, torch.inf).rsqrt()
