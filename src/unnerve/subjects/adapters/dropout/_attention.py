"""Dropout inside attention, which torch runs as one call: on the weights, after the softmax."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from types import FunctionType
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from unnerve.subjects.adapters.dropout._dropout_apply import ApplyDropout
from unnerve.subjects.adapters.dropout._masks import Drop

__all__ = ["attention"]

_WHOLE = functional.multi_head_attention_forward
_INNER = functional.scaled_dot_product_attention


def attention(
    function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any], rate: float | None
) -> Callable[[ApplyDropout], Any] | None:
    """Return what to do instead of a call of attention with dropout, or None for any other call."""
    if name == _WHOLE.__name__:
        given = _WHOLE_ARGUMENTS.bind(*args, **kwargs).arguments
        own = given["dropout_p"]
        given |= {"dropout_p": rate or own, "training": True}
        return (lambda apply: _opened(apply)(**given)) if own > 0 else None
    if function is _INNER:
        own = kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0)
        parts = dict(zip(("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), args, strict=False))
        given = parts | dict(kwargs) | {"dropout_p": rate or own}
        return (lambda apply: _attention(apply)(**given)) if own > 0 else None
    return None


_WHOLE_ARGUMENTS = inspect.signature(_WHOLE)


def _opened(apply: ApplyDropout) -> Callable[..., Any]:
    """Return torch's multi-head attention with our dropout inside: its code, seeing other functions."""

    def dropout(x: Tensor, p: float) -> Tensor:
        return apply(x, Drop(p))

    # Torch's code with other globals rather than a copy of it: masks, biases and projections stay those of the
    # installed version.
    seen = vars(functional) | {
        "has_torch_function": lambda _: False,
        "dropout": dropout,
        "scaled_dot_product_attention": _attention(apply),
    }
    opened = FunctionType(_WHOLE.__code__, seen, _WHOLE.__name__, _WHOLE.__defaults__)
    opened.__kwdefaults__ = _WHOLE.__kwdefaults__
    return opened


def _attention(apply: ApplyDropout) -> Callable[..., Tensor]:
    """Return scaled dot-product attention with its steps spelled out, so that its weights can be dropped."""

    # Parameters and their names are torch's: it calls this by position and by keyword.
    def attended(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        if enable_gqa:
            groups = query.shape[-3] // key.shape[-3]
            key, value = key.repeat_interleave(groups, dim=-3), value.repeat_interleave(groups, dim=-3)
        weights = query @ key.transpose(-2, -1) * (1 / sqrt(query.shape[-1]) if scale is None else scale)
        if is_causal:
            attn_mask = torch.ones(weights.shape[-2:], dtype=torch.bool, device=weights.device).tril()
        if attn_mask is not None:
            hidden = attn_mask.dtype == torch.bool
            weights = weights.masked_fill(~attn_mask, float("-inf")) if hidden else weights + attn_mask
        return apply(weights.softmax(dim=-1), Drop(dropout_p)) @ value

    return attended
