"""Which axis of a dropped tensor holds the inputs, found by passes over two and over three rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel

__all__ = ["BatchAxis", "batch_axes"]


@dataclass(frozen=True)
class BatchAxis:
    """Where a tensor keeps its inputs: along which axis (None: nowhere), and whether an input's parts lie together."""

    index: int | None
    together: bool = True


def batch_axes(two: Sequence[Tensor], three: Sequence[Tensor], name: str) -> tuple[BatchAxis, ...]:
    """Return where each tensor keeps its inputs.

    Parameters
    ----------
    two : sequence of Tensor
        Tensors of a pass over the inputs a and b.
    three : sequence of Tensor
        The same of a pass over a, a and b.
    name : str
        The model's, for errors.
    """
    if len(two) != len(three):
        raise InvalidModel(
            f"{name} calls dropout {len(two)} times for 2 inputs and {len(three)} times for 3, "
            "so masks cannot be told apart by input; treat the batch as a whole"
        )
    return tuple(_batch_axis(small, large, name) for small, large in zip(two, three, strict=True))


def _batch_axis(two: Tensor, three: Tensor, name: str) -> BatchAxis:
    if two.shape == three.shape:
        return BatchAxis(None)
    axis = next((axis for axis in range(two.ndim) if two.shape[axis] != three.shape[axis]), 0)
    parts = two.shape[axis] // 2
    if two.ndim != three.ndim or (two.shape[axis], three.shape[axis]) != (2 * parts, 3 * parts):
        shapes = f"{tuple(two.shape)} for 2 inputs and {tuple(three.shape)} for 3"
        raise InvalidModel(f"{name} calls dropout on a tensor of shape {shapes}: no axis holds the inputs")
    small, large = two.movedim(axis, 0), three.movedim(axis, 0)
    # Steps or windows may be folded into the batch in either order, which only their values tell: input a comes first
    # in both passes and input b last, so the parts of both are compared where each order would have put them.
    lie_together = _same(small[:parts], large[:parts]) and _same(small[parts:], large[2 * parts :])
    lie_apart = _same(small[0::2], large[0::3]) and _same(small[1::2], large[2::3])
    return BatchAxis(axis, together=lie_together or not lie_apart)


def _same(one: Tensor, other: Tensor) -> bool:
    # Kernels round differently for two and for three rows.
    return torch.allclose(one, other, rtol=1e-3, atol=1e-5)
