from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from unnerve.subjects.adapters.dropout._attention import attention
from unnerve.subjects.adapters.dropout._masks import Drop

WHOLE, INNER = functional.multi_head_attention_forward, functional.scaled_dot_product_attention


class Nothing:
    """Dropout that drops nothing, and notes on what."""

    def __init__(self) -> None:
        self.seen: list[tuple[Tensor, Drop]] = []

    def __call__(self, x: Tensor, drop: Drop) -> Tensor:
        self.seen.append((x, drop))
        return x


def captured(layer: nn.MultiheadAttention, x: Tensor, **given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with which a layer calls torch's function."""
    calls = []

    class Capture(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is WHOLE:
                calls.append((args, kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Capture():
        layer(x, x, x, **given)
    return calls[0]


@pytest.mark.parametrize("weights", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_multi_head_attention_is_torchs_own_without_dropout(weights: bool, masked: bool) -> None:
    layer, x = nn.MultiheadAttention(12, 3, dropout=0.2).eval(), torch.randn(5, 4, 12)
    mask = nn.Transformer.generate_square_subsequent_mask(5) if masked else None
    args, kwargs = captured(layer, x, need_weights=weights, attn_mask=mask)
    nothing = Nothing()
    call = attention(WHOLE, WHOLE.__name__, args, kwargs, None)
    assert call is not None
    expected = layer(x, x, x, need_weights=weights, attn_mask=mask)
    assert torch.allclose(call(nothing)[0], expected[0], atol=1e-6)
    (dropped, drop) = nothing.seen[0]
    assert drop == Drop(0.2)
    assert dropped.shape[-2:] == (5, 5)
    assert torch.allclose(dropped.sum(dim=-1), torch.ones(()))


def test_another_rate() -> None:
    args, kwargs = captured(nn.MultiheadAttention(12, 3, dropout=0.2).eval(), torch.randn(5, 4, 12))
    nothing = Nothing()
    call = attention(WHOLE, WHOLE.__name__, args, kwargs, 0.4)
    assert call is not None
    call(nothing)
    assert nothing.seen[0][1] == Drop(0.4)


def test_attention_without_dropout_stays_torchs() -> None:
    args, kwargs = captured(nn.MultiheadAttention(12, 3).eval(), torch.randn(5, 4, 12))
    assert attention(WHOLE, WHOLE.__name__, args, kwargs, 0.4) is None
    q = torch.randn(2, 3, 5, 4)
    assert attention(INNER, INNER.__name__, (q, q, q), {}, 0.4) is None


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"is_causal": True},
        {"attn_mask": torch.randn(5, 6)},
        {"attn_mask": torch.ones(5, 6, dtype=torch.bool).tril(1)},
        {"scale": 0.3},
        {"enable_gqa": True},
    ],
)
def test_scaled_dot_product_attention_is_torchs_own_without_dropout(more: dict[str, Any]) -> None:
    heads = 2 if "enable_gqa" in more else 4
    q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, heads, 6, 8), torch.randn(2, heads, 6, 8)
    call = attention(INNER, INNER.__name__, (q, k, v), more | {"dropout_p": 0.1}, None)
    assert call is not None
    assert torch.allclose(call(Nothing()), INNER(q, k, v, **more), atol=1e-6)
