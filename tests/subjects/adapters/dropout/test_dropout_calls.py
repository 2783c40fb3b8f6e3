from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls, inserted_dropout
from unnerve.subjects.adapters.dropout._masks import Drop

X = torch.ones(2, 3, 4, 4)


class Catch(TorchFunctionMode):
    """Notes what dropout is asked for, and answers with zeros."""

    def __init__(self, dropout_calls: DropoutCalls) -> None:
        super().__init__()
        self.dropout_calls = dropout_calls
        self.seen: list[Drop] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        replacement = self.dropout_calls.replacement(func, args, kwargs or {})
        return func(*args, **(kwargs or {})) if replacement is None else replacement(self.note)

    def note(self, x: Tensor, drop: Drop) -> Tensor:
        self.seen.append(drop)
        return x * 0


def caught(call: Callable[[], object], dropout_calls: DropoutCalls | None = None) -> list[Drop]:
    catch = Catch(dropout_calls or DropoutCalls())
    with catch:
        call()
    return catch.seen


@pytest.mark.parametrize(
    ("call", "drop"),
    [
        (lambda: functional.dropout(X, 0.3, False), Drop(0.3)),
        (lambda: functional.dropout(X, training=False), Drop(0.5)),
        (lambda: functional.dropout(X, 0.3, training=False, inplace=True), Drop(0.3, inplace=True)),
        (lambda: functional.dropout(X, 0.3), Drop(0.3)),
        (lambda: functional.dropout1d(X[0], 0.3, False), Drop(0.3, channels=True)),
        (lambda: functional.dropout2d(X, 0.3, False), Drop(0.3, channels=True)),
        (lambda: functional.dropout3d(X[None], 0.3, False), Drop(0.3, channels=True)),
        (lambda: functional.alpha_dropout(X, 0.3, False), Drop(0.3, alpha=True)),
        (lambda: functional.feature_alpha_dropout(X, 0.3, False), Drop(0.3, channels=True, alpha=True)),
        (lambda: torch.dropout(X, 0.3, False), Drop(0.3)),
        (lambda: torch.dropout(X, p=0.3, train=False), Drop(0.3)),
        (lambda: torch.dropout_(X, 0.3, False), Drop(0.3, inplace=True)),
        (lambda: torch.feature_dropout(X, 0.3, False), Drop(0.3, channels=True)),
        (lambda: torch.alpha_dropout_(X, 0.3, False), Drop(0.3, alpha=True, inplace=True)),
        (lambda: torch.ops.aten.dropout.default(X, 0.3, False), Drop(0.3)),
        (lambda: nn.Dropout(0.3).eval()(X), Drop(0.3)),
        (lambda: nn.Dropout2d(0.3, inplace=True).eval()(X), Drop(0.3, channels=True, inplace=True)),
        (lambda: nn.AlphaDropout(0.3).eval()(X), Drop(0.3, alpha=True)),
    ],
)
def test_finds_dropout_in_all_its_forms(call: Callable[[], object], drop: Drop) -> None:
    assert caught(call) == [drop]


@pytest.mark.parametrize(
    "call",
    [
        lambda: functional.relu(X),
        lambda: functional.dropout(X, 0.0, False),
        lambda: nn.Dropout(0.0)(X),
        lambda: functional.scaled_dot_product_attention(X, X, X),
        lambda: nn.MultiheadAttention(4, 2).eval()(X[0], X[0], X[0]),
    ],
)
def test_leaves_other_calls_alone(call: Callable[[], object]) -> None:
    assert caught(call) == []


def test_another_rate_than_the_networks_own() -> None:
    assert caught(lambda: functional.dropout2d(X, 0.3, False), DropoutCalls(rate=0.1)) == [Drop(0.1, channels=True)]
    assert caught(lambda: functional.dropout2d(X, 0.0, False), DropoutCalls(rate=0.1)) == []


def test_what_we_put_in_counts_alone() -> None:
    def both() -> None:
        functional.dropout(inserted_dropout(X), 0.3, False)

    assert caught(both, DropoutCalls(rate=0.1, inserted=True)) == [Drop(0.1)]


def test_a_marker_does_nothing_by_itself() -> None:
    assert inserted_dropout(X) is X
