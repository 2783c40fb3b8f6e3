"""Max pooling over squares of two by two, made faster than torch's own, and with the ReLU before it in one step."""

from typing import Any

import torch
from torch import Tensor

__all__ = ["halving_pool", "is_halving"]

_BY_TWO = (2, (2,), (2, 2))


def is_halving(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> bool:
    """Say whether arguments of ``max_pool2d`` ask for what :func:`halving_pool` does."""
    squares = _plain(kernel_size) in _BY_TWO and _plain(stride) in (*_BY_TWO, (), None)
    alone = _plain(padding) in (0, (0,), (0, 0)) and _plain(dilation) in (1, (1,), (1, 1))
    # In channels-last format torch's own is fast, and accelerators have kernels of their own.
    ours = x.requires_grad and x.device.type == "cpu" and x.dtype == torch.float32 and x.is_contiguous()
    even = x.ndim == 4 and not any(side % 2 for side in x.shape[2:])
    return squares and alone and ours and even and not (ceil_mode or return_indices)


def halving_pool(x: Tensor, rectified: bool) -> Tensor:
    """Return the largest value of each square of two by two, with torch's values and gradients bit for bit.

    But for NaN: then the value is NaN, as torch's, and the gradient goes to another place.

    Parameters
    ----------
    x : Tensor of shape (N, C, H, W)
        With H and W even.
    rectified : bool
        Whether negative values are to count as zero, as if a ReLU stood before.

    Returns
    -------
    Tensor of shape (N, C, H / 2, W / 2)
    """
    pooled: Tensor = _HalvingPool.apply(x, rectified)[0]  # type: ignore[no-untyped-call]
    return pooled


# Torch's kernel for the ordinary memory format compares one value after the other.
class _HalvingPool(torch.autograd.Function):
    generate_vmap_rule = True  # modules may use torch.func

    @staticmethod
    def forward(x: Tensor, rectified: bool) -> tuple[Tensor, Tensor]:
        left, right = x[..., 0::2], x[..., 1::2]
        of_rows, is_right = torch.maximum(left, right), right > left
        upper, lower = of_rows[..., 0::2, :], of_rows[..., 1::2, :]
        is_lower = lower > upper
        # The first of equal values, row by row, as torch has it; `where` would take ten times as long.
        within = (is_right[..., 1::2, :] & is_lower) | (is_right[..., 0::2, :] & ~is_lower)
        width = x.shape[-1]
        corners = torch.arange(0, x.shape[-2] * width, 2 * width).unsqueeze(1) + torch.arange(0, width, 2)
        found = torch.maximum(upper, lower)
        return found.relu() if rectified else found, corners.add(is_lower, alpha=width).add_(within)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        x, ctx.rectified = inputs
        ctx.size = x.shape[2:]
        ctx.mark_non_differentiable(output[1])
        # Not x itself: a module may write into it afterwards.
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor, _: object) -> tuple[Tensor, None]:
        pooled, places = ctx.saved_tensors
        if ctx.rectified:
            upstream = upstream * (pooled > 0)
        nowhere = upstream.new_zeros(*upstream.shape[:2], ctx.size.numel())
        return nowhere.scatter(2, places.flatten(2), upstream.flatten(2)).unflatten(2, ctx.size), None


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | tuple) else value
