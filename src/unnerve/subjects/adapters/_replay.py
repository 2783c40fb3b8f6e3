"""Running a pass draw after draw: the prefix once, the rest again, with the bits of whole passes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._masks import Drop, Layout
from unnerve.subjects.adapters._plan import Plan
from unnerve.subjects.adapters._provenance import INPUT, tensors
from unnerve.subjects.adapters._sites import Sites
from unnerve.subjects.adapters._thinning import Thinning

__all__ = ["Replay"]


@dataclass(frozen=True)
class _View:
    """How a tensor lies in its memory."""

    memory: int
    dtype: torch.dtype
    size: torch.Size
    stride: tuple[int, ...]
    offset: int


class Replay(TorchFunctionMode):
    """A pass under the masks of one draw after the other.

    Parameters
    ----------
    plan : Plan
    sites : Sites
    layouts : sequence of Layout
        One for each call of dropout, in their order.
    thinning : Thinning
    """

    def __init__(self, plan: Plan, sites: Sites, layouts: Sequence[Layout], thinning: Thinning) -> None:
        super().__init__()
        self._plan = plan
        self._sites, self._layouts, self._thinning = sites, layouts, thinning
        self._draw = self._place = self._site = 0
        self._results: dict[int, Any] = {}
        self._aside: dict[int, Tensor] = {}
        self._copies: dict[int, Tensor] = {}

    def passes(self, run: Callable[[Tensor], object], x: Tensor, draws: int, overwritten: bool) -> Iterator[object]:
        """Yield what ``run(x)`` returns in each draw; ``overwritten`` says whether it writes into its input."""
        whole = x.clone() if overwritten else x
        input_view = _view(x, INPUT)
        if draws == 1:
            self._plan = Plan()
        for draw in range(draws):
            self._draw, self._place, self._site, self._copies = draw, 0, 0, {}
            if draw > 0 and not self._plan.functions:
                x = whole.clone() if overwritten else whole
            elif INPUT in self._aside:
                x = self._copy(input_view)
            with self:
                answer = run(x)
            yield answer

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a call, or hand out what it returned in the first draw."""
        place = self._place
        self._place += 1
        kwargs = kwargs or {}
        if place >= len(self._plan.again):
            return self._run(func, args, kwargs)
        if self._draw > 0:
            return self._run(func, args, kwargs) if self._plan.again[place] else self._kept(place)
        if func != self._plan.functions[place]:
            # Other inputs take another way through the module: whole passes are right for all of them.
            self._plan = Plan()
            return self._run(func, args, kwargs)
        if self._plan.again[place]:
            self._put_aside(place, args, kwargs)
            return self._run(func, args, kwargs)
        result = func(*args, **kwargs)
        self._results[place] = self._remembered(place, result)
        return result

    def _run(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        site = self._sites.at(func, args, kwargs)
        return func(*args, **kwargs) if site is None else site(self._thin)

    def _thin(self, x: Tensor, drop: Drop) -> Tensor:
        if self._site >= len(self._layouts):
            raise InvalidModel("it calls dropout more often for some inputs than for others, so masks cannot be told")
        site = self._site
        self._site += 1
        return self._thinning(x, drop, self._layouts[site], site, self._draw)

    def _put_aside(self, place: int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        if place in self._plan.copied_at:
            given = list(tensors((args, kwargs)))
            for memory, position in self._plan.copied_at[place]:
                self._aside[memory] = _bytes(given[position]).clone()

    def _remembered(self, place: int, result: Any) -> Any:
        """Return what to keep of a result: all of it, how to cut it out of a copy, or only its shape."""
        if place not in self._plan.kept:
            # Nobody will read its values; something with its shape stands for it.
            return result.new_empty(()).expand(result.shape) if isinstance(result, Tensor) else result
        memory = iter(self._plan.returns[place])

        def remembered(tensor: Tensor) -> Tensor | _View:
            number = next(memory)
            return _view(tensor, number) if number in self._plan.fresh else tensor

        return _mapped(remembered, Tensor, result)

    def _kept(self, place: int) -> Any:
        result = self._results[place]
        if isinstance(result, Tensor):
            return result
        return _mapped(self._copy, _View, result)

    def _copy(self, view: _View) -> Tensor:
        """Return a tensor in this draw's own copy of the memory that was put aside."""
        if view.memory not in self._copies:
            self._copies[view.memory] = self._aside[view.memory].clone()
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
