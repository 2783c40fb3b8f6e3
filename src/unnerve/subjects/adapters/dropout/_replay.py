"""Running a pass draw after draw: the prefix once, the rest again, with the bits of whole passes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._dropout_apply import MaskedDropout
from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._masks import Drop
from unnerve.subjects.adapters.dropout._provenance import INPUT, tensors
from unnerve.subjects.adapters.dropout._replay_plan import ReplayPlan

__all__ = ["Answered", "Replay"]


class Answered(NamedTuple):
    """What a module returned, and of how many draws: the rows of one come after those of the other."""

    output: object
    draws: int


@dataclass(frozen=True)
class _View:
    """How a tensor lies in its memory."""

    memory: int
    dtype: torch.dtype
    size: torch.Size
    stride: tuple[int, ...]
    offset: int


# A TorchFunctionMode sees every call of a torch function, whether a layer makes it or plain code in forward(); hooks
# would miss the latter, and tracing would refuse modules that look at values.
class Replay(TorchFunctionMode):
    """A pass under the masks of one draw after the other.

    Parameters
    ----------
    plan : ReplayPlan
    dropout_calls : DropoutCalls
    batch_axes : sequence of BatchAxis
        One for each call of dropout, in their order.
    dropout : MaskedDropout
    together : int
        Draws of one pass, more than one only where the plan allows it.
    """

    def __init__(
        self,
        plan: ReplayPlan,
        dropout_calls: DropoutCalls,
        batch_axes: Sequence[BatchAxis],
        dropout: MaskedDropout,
        together: int = 1,
    ) -> None:
        super().__init__()
        self._plan, self._together = plan, together
        self._dropout_calls, self._batch_axes, self._dropout = dropout_calls, batch_axes, dropout
        self._draw = self._index = self._dropout_index = 0
        self._begun = False
        self._results: dict[int, Any] = {}
        self._originals: dict[int, Tensor] = {}
        self._copies: dict[int, Tensor] = {}

    def passes(self, run: Callable[[Tensor], object], x: Tensor, draws: range, overwritten: bool) -> Iterator[Answered]:
        """Yield what ``run(x)`` returns draw after draw; draw -1 drops nothing.

        ``overwritten`` says whether it writes into its input.
        """
        whole = x.clone() if overwritten else x
        input_view = _view(x, INPUT)
        if len(draws) == self._together == 1:  # nothing would be used again
            self._plan = ReplayPlan()
        self._draw = draws.start
        while self._draw < draws.stop:
            self._index, self._dropout_index, self._copies = 0, 0, {}
            if self._begun and not self._plan.functions:
                x = whole.clone() if overwritten else whole
            elif INPUT in self._originals:
                x = self._copy(input_view)
            with self:
                output = run(x)
            self._begun = True
            count = 1 if self._draw < 0 else self._together
            yield Answered(output, count)
            self._draw += count

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a call, or hand out what it returned in the first draw."""
        index = self._index
        self._index += 1
        kwargs = kwargs or {}
        if index >= len(self._plan.again):
            if not self._begun:  # the first dropout itself may be the one that overwrites
                self._keep_originals(index, args, kwargs)
            return self._run(func, args, kwargs)
        if self._begun:
            return self._run(func, args, kwargs) if self._plan.again[index] else self._kept(index)
        if func != self._plan.functions[index]:
            # Other inputs take another way through the module: whole passes are right for all of them.
            self._plan = ReplayPlan()
            return self._run(func, args, kwargs)
        if self._plan.again[index]:
            self._keep_originals(index, args, kwargs)
            return self._run(func, args, kwargs)
        result = func(*args, **kwargs)
        self._results[index] = self._remembered(index, result)
        return result

    def _run(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        replacement = self._dropout_calls.replacement(func, args, kwargs)
        return func(*args, **kwargs) if replacement is None else replacement(self._apply_dropout)

    def _apply_dropout(self, x: Tensor, drop: Drop) -> Tensor:
        if self._dropout_index >= len(self._batch_axes):
            raise InvalidModel("it calls dropout more often for some inputs than for others, so masks cannot be told")
        index = self._dropout_index
        self._dropout_index += 1
        if self._draw < 0:
            return x
        if index == 0 and self._together > 1:
            # Not where these inputs went another way: there, more than what is dropped may be needed.
            planned = self._plan.functions and self._index == len(self._plan.functions) + 1
            self._together = self._together if planned else 1
            x = torch.cat([x] * self._together)
        return self._dropout(x, drop, self._batch_axes[index], index, self._draw, self._together)

    def _keep_originals(self, index: int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Copy the memory that this call, or a later one, would overwrite while other draws still need it."""
        if index in self._plan.copied_at:
            given = list(tensors((args, kwargs)))
            for memory, position in self._plan.copied_at[index]:
                self._originals[memory] = _bytes(given[position]).clone()

    def _remembered(self, index: int, result: Any) -> Any:
        """Return what to keep of a result: all of it, how to cut it out of a copy, or only its shape."""
        if index not in self._plan.kept:
            # No later call reads its values, but the module's own code may ask for its shape.
            return result.new_empty(()).expand(result.shape) if isinstance(result, Tensor) else result
        memory = iter(self._plan.returns[index])

        def remembered(tensor: Tensor) -> Tensor | _View:
            number = next(memory)
            return _view(tensor, number) if number in self._plan.fresh else tensor

        return _mapped(remembered, Tensor, result)

    def _kept(self, index: int) -> Any:
        result = self._results[index]
        if isinstance(result, Tensor):
            return result
        return _mapped(self._copy, _View, result)

    def _copy(self, view: _View) -> Tensor:
        """Return a tensor in this draw's own copy of its original memory."""
        if view.memory not in self._copies:
            self._copies[view.memory] = self._originals[view.memory].clone()
        return self._copies[view.memory].view(view.dtype).as_strided(view.size, view.stride, view.offset)


def _view(tensor: Tensor, memory: int) -> _View:
    return _View(memory, tensor.dtype, tensor.size(), tensor.stride(), int(tensor.storage_offset()))


def _bytes(tensor: Tensor) -> Tensor:
    """Return all the memory a tensor lies in."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def _mapped(change: Callable[[Any], Any], kind: type, value: Any) -> Any:
    """Return ``value``, a result of a call, with everything of a kind changed, in its order."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, tuple | list) and not isinstance(value, torch.Size):
        return type(value)([_mapped(change, kind, part) for part in value])
    return value
