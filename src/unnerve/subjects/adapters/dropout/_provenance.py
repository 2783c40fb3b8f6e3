"""Recording one pass call by call: what each reads, writes and returns, and which calls are dropout.

Kept are numbers of memory, not tensors: they are what tells which calls depend on dropout, on any module graph, and
they are the same for every batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._masks import Drop

__all__ = ["INPUT", "Call", "CallRecorder", "tensors"]

INPUT = 0
"""The number of the memory that holds the module's input."""

# By these the memory is reached past torch, so that writes to it change no version.
_RAW = {"data_ptr", "numpy", "__array__", "__dlpack__", "storage", "untyped_storage"}
# What these return is the same in every draw, though it is no tensor.
_SHAPES = {"__get__", "size", "dim", "numel", "stride", "is_contiguous", "is_floating_point", "__len__", "get_device"}
_PLAIN = (bool, int, float, complex, str, torch.Size, torch.dtype, torch.device, torch.layout, type(None))


@dataclass(frozen=True)
class Call:
    """One call of a torch function; memory has numbers, so that views of one tensor are one thing.

    Parameters
    ----------
    function : callable
    reads, returns : tuple of int
        Memory of its tensor arguments and of the tensors it returns, in their order.
    writes : frozenset of int
        Memory it changed.
    is_dropout : bool
        Whether it is dropout.
    returns_values : bool
        Whether it returns values that are no tensors, such as ``item()``, which later calls may depend on.
    storable : bool
        Whether its result can be handed out again.
    exposes_memory : bool
        Whether it gives access to memory past torch, where writes to it cannot be seen.
    size : int
        Bytes of the tensors it returns.
    """

    function: Callable[..., Any]
    reads: tuple[int, ...]
    returns: tuple[int, ...]
    writes: frozenset[int] = frozenset()
    is_dropout: bool = False
    returns_values: bool = False
    storable: bool = True
    exposes_memory: bool = False
    size: int = 0


class CallRecorder(TorchFunctionMode):
    """Records every call of a pass of few rows; dropout does nothing, but is recorded.

    Parameters
    ----------
    dropout_calls : DropoutCalls
    x : Tensor
        The module's input.
    """

    def __init__(self, dropout_calls: DropoutCalls, x: Tensor) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.dropped: list[Tensor] = []
        self.answer: frozenset[int] = frozenset()
        self._dropout_calls = dropout_calls
        self._numbers: dict[int, int] = {}
        self._alive: list[object] = []  # memory that is given back could be given out again under the same address
        self._number(x)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a call and record it."""
        kwargs = kwargs or {}
        given = list(tensors((args, kwargs)))
        reads = tuple(self._number(tensor) for tensor in given)
        # Torch counts the writes to a tensor, also those through its views: cheaper than comparing values, and exact.
        versions = [tensor._version for tensor in given]
        replacement = self._dropout_calls.replacement(func, args, kwargs)
        result = func(*args, **kwargs) if replacement is None else replacement(self._keep)
        written = [n for n, tensor, old in zip(reads, given, versions, strict=True) if tensor._version != old]
        returned = list(tensors(result))
        name = getattr(func, "__name__", "")
        self.calls.append(
            Call(
                function=func,
                reads=reads,
                returns=tuple(self._number(tensor) for tensor in returned),
                writes=frozenset(written),
                is_dropout=replacement is not None,
                returns_values=not returned and result is not None and name not in _SHAPES,
                storable=_storable(result),
                exposes_memory=name in _RAW,
                size=sum(tensor.numel() * tensor.element_size() for tensor in returned),
            )
        )
        self._alive.append((given, result))
        return result

    def end(self, answer: object) -> None:
        """Record the memory that the module's answer lies in."""
        self.answer = frozenset(self._number(tensor) for tensor in tensors(getattr(answer, "logits", answer)))
        self._alive.clear()

    def _keep(self, x: Tensor, drop: Drop) -> Tensor:
        self.dropped.append(x.clone())
        return x.mul_(1) if drop.inplace else x.clone()

    def _number(self, tensor: Tensor) -> int:
        self._alive.append(tensor)
        address = tensor.untyped_storage()._cdata if tensor.layout is torch.strided else id(tensor)
        return self._numbers.setdefault(address, len(self._numbers))


def tensors(value: object) -> Iterator[Tensor]:
    """Yield the tensors in a value, nested in tuples, lists and dicts as arguments and results are."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors(part)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors(part)


def _storable(result: object) -> bool:
    if isinstance(result, tuple | list) and not isinstance(result, torch.Size):
        return all(map(_storable, result))
    return isinstance(result, (Tensor, *_PLAIN))
