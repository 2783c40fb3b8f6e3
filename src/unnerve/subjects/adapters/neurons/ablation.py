"""Ablating neurons by forward hooks that multiply them by a mask before the next layer sees them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.neurons import NeuronMap
from unnerve.subjects.adapters.neurons._hooks import first_tensor, hooked, named_layers
from unnerve.subjects.adapters.neurons.call_map import CallMap

__all__ = ["ablation", "check_masks", "over_masks"]

_CHUNK = 256
"""Rows that are copied at a time, one for each mask: as many as the largest micro-batch."""

Chunk = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, ...]]
"""(inputs (R, ...), masks (R, U), the input each row belongs to (R,)) -> results, each of R rows."""


@contextmanager
def ablation(module: nn.Module, call_map: CallMap, model_name: str, masks: Tensor) -> Iterator[None]:
    """Multiply the hidden neurons of a pass over R rows by ``masks``, shape (R, U), while the context lasts."""
    # One split rather than many slices: its backward pass writes each column once.
    columns = iter(masks.split([layer.count for layer in call_map.map.hidden.layers], dim=1))
    layers = iter(call_map.map.layers)
    factors = [next(columns) if axes is not None and next(layers).hidden else None for _, axes in call_map.calls]
    names: list[str] = []

    def scale(name: str, output: object, _given: object) -> object:
        index = len(names)
        names.append(name)
        if index >= len(factors) or call_map.calls[index][0] != name or (factor := factors[index]) is None:
            return None
        tensor, axes = first_tensor(output), call_map.calls[index][1]
        assert axes is not None
        return None if tensor is None else _with_first(output, axes.scaled(tensor, factor))

    with hooked(named_layers(module, call_map.names), scale, call_map.compiled):
        yield
    call_map.check(names, model_name)


def check_masks(masks: Tensor, rows: int, hidden: NeuronMap, model_name: str) -> None:
    """Raise a clear error unless there is at least one mask over the hidden neurons for each of the rows."""
    if len(hidden) == 0:
        raise InvalidModel(
            f"{model_name} has no hidden neurons among those that '{hidden.chosen_by}' chooses: none to silence"
        )
    if masks.ndim != 3 or masks.shape[0] != rows or masks.shape[1] < 1 or masks.shape[2] != len(hidden):
        raise InvalidSetting(f"masks must have shape ({rows}, masks >= 1, {len(hidden)}), got {tuple(masks.shape)}")


def over_masks(x: Tensor, masks: Tensor, work: Chunk) -> tuple[Tensor, ...]:
    """Run ``work`` on every input under each of its masks, shape (N, S, U); few copies of inputs exist at a time.

    Returns
    -------
    tuple of Tensor of shape (N, S, ...)
    """
    each = masks.shape[1]
    pieces = []
    for rows in torch.arange(len(x) * each, device=x.device).split(_CHUNK):
        owners = rows // each
        pieces.append(work(x[owners], masks[owners, rows % each], owners))
    return tuple(torch.cat(column).unflatten(0, (len(x), each)) for column in zip(*pieces, strict=True))


def _with_first(output: object, tensor: Tensor) -> object:
    """Put ``tensor`` where :func:`first_tensor` found one."""
    if not isinstance(output, tuple | list):
        return tensor
    every = [_with_first(output[0], tensor), *output[1:]]
    # Named tuples take their fields one by one, other sequences as a whole.
    return type(output)(*every) if hasattr(output, "_fields") else type(output)(every)
