"""Watching which layers a pass calls, in which order, and how large their maps are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any

from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import inner, watchable

__all__ = ["Visit", "visits"]

_FLAT = (nn.Conv1d, nn.MaxPool1d, nn.AvgPool1d, nn.AdaptiveAvgPool1d, nn.AdaptiveMaxPool1d)


@dataclass
class Visit:
    """One call of a layer in a pass: when it began and ended, the size of the maps it took and gave.

    Sizes are pixels a channel, 0 without a map, None where it cannot be said.
    """

    layer: str
    call: int
    weighs: bool
    pools: bool
    leaf: bool
    began: int
    ended: int = -1
    took: int | None = None
    gave: int | None = None
    plain: bool = True


def visits(module: nn.Module, run: Callable[[], object]) -> list[Visit]:
    """Return the calls of layers during ``run``, in the order in which they began."""
    if not watchable(module):
        raise InvalidModel("dropout cannot be put into an exported program; give the nn.Module it was made of")
    seen: list[Visit] = []
    clock = count()
    handles = [
        handle for name, part in inner(module).named_modules() if name for handle in _noting(name, part, seen, clock)
    ]
    try:
        run()
    finally:
        for handle in handles:
            handle.remove()
    return seen


def _noting(name: str, part: nn.Module, seen: list[Visit], clock: Iterator[int]) -> list[Any]:
    open_visits: list[Visit] = []

    def begin(_module: nn.Module, inputs: tuple[object, ...]) -> None:
        call = 1 + sum(visit.layer == name for visit in seen)
        weighs = any(one is not None and one.ndim > 1 for one in part._parameters.values())
        leaf = not list(part.children())
        visit = Visit(name, call, weighs, "Pool" in type(part).__name__, leaf, next(clock))
        visit.took = _map_size(part, inputs[0] if inputs else None)
        seen.append(visit)
        open_visits.append(visit)

    def end(_module: nn.Module, _inputs: object, output: object) -> None:
        visit = open_visits.pop()
        visit.ended, visit.gave, visit.plain = next(clock), _map_size(part, output), isinstance(output, Tensor)

    return [part.register_forward_pre_hook(begin), part.register_forward_hook(end)]


def _map_size(part: nn.Module, value: object) -> int | None:
    if not isinstance(value, Tensor):
        return None
    if value.ndim > 3 or (value.ndim == 3 and isinstance(part, _FLAT)):
        return prod(value.shape[2:])
    return 0 if value.ndim == 2 else None
