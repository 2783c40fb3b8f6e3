"""Putting dropout into a network that has none: after poolings or stages, and before the classifier."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import inner
from unnerve.subjects.adapters.dropout._dropout_calls import inserted_dropout
from unnerve.subjects.adapters.dropout._layer_calls import LayerCall

__all__ = ["DropoutPoint", "chosen_points", "dropout_inserted", "found_points"]

_BEFORE = "before:"


@dataclass(frozen=True)
class DropoutPoint:
    """Where units are dropped: in the output of one call of a layer, or in its input."""

    layer: str
    call: int = 1
    before: bool = False

    def __str__(self) -> str:
        return f"{_BEFORE * self.before}{self.layer}{f'#{self.call}' if self.call > 1 else ''}"


def found_points(calls: Sequence[LayerCall], name: str) -> tuple[DropoutPoint, ...]:
    """Return where maps shrink, and the input of the last layer with weights."""
    weighted = [call.began for call in calls if call.has_weights]
    last = next((call for call in reversed(calls) if call.has_weights), None)
    if last is None or len(weighted) < 2:
        raise InvalidModel(
            f"{name}: dropout needs a layer before the classifier, and it has none; rank by answers alone, with pd"
        )
    timed = [*sorted(_shrinking(calls), key=lambda one: one[0]), (last.began, _before(last))]
    # Of points with no weights between them the last one is enough: units would be dropped twice.
    ends = [time for time, _ in timed[1:]]
    return tuple(
        point
        for (time, point), end in zip(timed, [*ends, last.began + 1], strict=True)
        if min(weighted) < time and any(time <= weight < end for weight in weighted)
    )


def chosen_points(calls: Sequence[LayerCall], patterns: Sequence[str], name: str) -> tuple[DropoutPoint, ...]:
    """Return the points that patterns name, each at least one."""
    points: list[DropoutPoint] = []
    for pattern in patterns:
        before, wanted = pattern.startswith(_BEFORE), pattern.removeprefix(_BEFORE)
        fitting = [call for call in calls if any(fnmatchcase(one, wanted) for one in (call.layer, str(_after(call))))]
        if not fitting:
            known = ", ".join(dict.fromkeys(call.layer for call in calls if call.is_leaf))
            raise InvalidModel(f"{name} calls no layer '{wanted}'; it calls: {known}")
        points += [DropoutPoint(call.layer, call.call, before) for call in fitting]
    return tuple(dict.fromkeys(points))


@contextmanager
def dropout_inserted(module: nn.Module, points: Sequence[DropoutPoint]) -> Iterator[None]:
    """Call :func:`inserted_dropout` at these points in every pass, while the context lasts."""
    if not points:
        yield
        return
    root, counts = inner(module), dict[str, int]()
    # A pass that ended in an error leaves its counts behind, so they are reset when the next begins.
    handles = [root.register_forward_pre_hook(lambda *_: counts.clear())]
    for name in {point.layer for point in points}:
        layer = root.get_submodule(name)
        handles.append(layer.register_forward_pre_hook(_before_call(name, set(points), counts)))
        handles.append(layer.register_forward_hook(_after_call(name, set(points), counts)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _after(call: LayerCall) -> DropoutPoint:
    return DropoutPoint(call.layer, call.call)


def _before(call: LayerCall) -> DropoutPoint:
    return DropoutPoint(call.layer, call.call, before=True)


def _shrinking(calls: Sequence[LayerCall]) -> Iterator[tuple[int, DropoutPoint]]:
    """Yield a point wherever maps shrink: after a pooling, after the stage that ends there, or before what follows."""
    ended = sorted((call for call in calls if call.returns_tensor), key=lambda call: call.ended)
    size = None
    for call in (call for call in ended if call.is_leaf and call.output_size is not None):
        if size is not None and call.output_size is not None and call.output_size < size:
            earlier = [one for one in ended if one.ended < call.began and one.output_size == size]
            if call.is_pooling:
                yield call.ended, _after(call)
            elif call.input_size is not None and call.input_size <= call.output_size:
                # The map was small before the layer: a function shrank it, between two layers.
                yield call.began, _before(call)
            elif earlier:
                # A stride shrinks it inside a stage; of the blocks that end before, the last is the whole stage.
                yield earlier[-1].ended, _after(earlier[-1])
        size = call.output_size


def _before_call(name: str, points: set[DropoutPoint], counts: dict[str, int]) -> Callable[..., Any]:
    def hook(_module: nn.Module, inputs: tuple[Any, ...]) -> Any:
        counts[name] = counts.get(name, 0) + 1
        if DropoutPoint(name, counts[name], before=True) in points:
            return (inserted_dropout(inputs[0]), *inputs[1:])
        return None

    return hook


def _after_call(name: str, points: set[DropoutPoint], counts: dict[str, int]) -> Callable[..., Any]:
    def hook(_module: nn.Module, _inputs: object, output: Any) -> Any:
        if DropoutPoint(name, counts[name]) not in points:
            return None
        if not isinstance(output, Tensor):
            raise TypeError(f"dropout after {name} needs one tensor, but it returns {type(output).__name__}")
        return inserted_dropout(output)

    return hook
