"""Putting dropout into a network that has none: after poolings or stages, and before the classifier."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import inner
from unnerve.subjects.adapters._sites import placed
from unnerve.subjects.adapters._visits import Visit

__all__ = ["Place", "chosen_places", "found_places", "placing"]

_BEFORE = "before:"


@dataclass(frozen=True)
class Place:
    """A place for dropout: the output of one call of a layer, or its input."""

    layer: str
    call: int = 1
    before: bool = False

    def __str__(self) -> str:
        return f"{_BEFORE * self.before}{self.layer}{f'#{self.call}' if self.call > 1 else ''}"


def found_places(seen: Sequence[Visit], name: str) -> tuple[Place, ...]:
    """Return places for dropout: where maps shrink, and before the last layer with weights."""
    weighing = [visit.began for visit in seen if visit.weighs]
    last = next((visit for visit in reversed(seen) if visit.weighs), None)
    if last is None or len(weighing) < 2:
        raise InvalidModel(
            f"{name}: dropout needs a layer before the classifier, and it has none; rank by answers alone, with pd"
        )
    timed = [*sorted(_shrinking(seen), key=lambda one: one[0]), (last.began, _before(last))]
    # Of places with no weights between them the last one is enough: units would be dropped twice.
    ends = [time for time, _ in timed[1:]]
    return tuple(
        place
        for (time, place), end in zip(timed, [*ends, last.began + 1], strict=True)
        if min(weighing) < time and any(time <= weight < end for weight in weighing)
    )


def chosen_places(seen: Sequence[Visit], patterns: Sequence[str], name: str) -> tuple[Place, ...]:
    """Return the places that patterns name, each at least one."""
    places: list[Place] = []
    for pattern in patterns:
        before, wanted = pattern.startswith(_BEFORE), pattern.removeprefix(_BEFORE)
        fitting = [
            visit for visit in seen if any(fnmatchcase(one, wanted) for one in (visit.layer, str(_after(visit))))
        ]
        if not fitting:
            known = ", ".join(dict.fromkeys(visit.layer for visit in seen if visit.leaf))
            raise InvalidModel(f"{name} calls no layer '{wanted}'; it calls: {known}")
        places += [Place(visit.layer, visit.call, before) for visit in fitting]
    return tuple(dict.fromkeys(places))


@contextmanager
def placing(module: nn.Module, places: Sequence[Place]) -> Iterator[None]:
    """Have dropout at these places in every pass, while the context lasts."""
    if not places:
        yield
        return
    root, calls = inner(module), dict[str, int]()
    layers = {place.layer for place in places}
    handles = [root.register_forward_pre_hook(lambda *_: calls.clear())]
    for name in layers:
        layer = root.get_submodule(name)
        handles.append(layer.register_forward_pre_hook(_entering(name, set(places), calls)))
        handles.append(layer.register_forward_hook(_leaving(name, set(places), calls)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _after(visit: Visit) -> Place:
    return Place(visit.layer, visit.call)


def _before(visit: Visit) -> Place:
    return Place(visit.layer, visit.call, before=True)


def _shrinking(seen: Sequence[Visit]) -> Iterator[tuple[int, Place]]:
    """Yield a place wherever maps shrink: after a pooling, after the stage that ends there, or before what follows."""
    ended = sorted((visit for visit in seen if visit.plain), key=lambda visit: visit.ended)
    size = None
    for visit in (visit for visit in ended if visit.leaf and visit.gave is not None):
        if size is not None and visit.gave is not None and visit.gave < size:
            earlier = [one for one in ended if one.ended < visit.began and one.gave == size]
            if visit.pools:
                yield visit.ended, _after(visit)
            elif visit.took is not None and visit.took <= visit.gave:  # a function did it, between two layers
                yield visit.began, _before(visit)
            elif earlier:
                yield earlier[-1].ended, _after(earlier[-1])
        size = visit.gave


def _entering(name: str, places: set[Place], calls: dict[str, int]) -> Callable[..., Any]:
    def hook(_module: nn.Module, inputs: tuple[Any, ...]) -> Any:
        calls[name] = calls.get(name, 0) + 1
        if Place(name, calls[name], before=True) in places:
            return (placed(inputs[0]), *inputs[1:])
        return None

    return hook


def _leaving(name: str, places: set[Place], calls: dict[str, int]) -> Callable[..., Any]:
    def hook(_module: nn.Module, _inputs: object, output: Any) -> Any:
        if Place(name, calls[name]) not in places:
            return None
        if not isinstance(output, Tensor):
            raise TypeError(f"dropout after {name} needs one tensor, but it returns {type(output).__name__}")
        return placed(output)

    return hook
