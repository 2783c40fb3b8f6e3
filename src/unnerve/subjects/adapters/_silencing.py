"""Silencing neurons by forward hooks that multiply them by a mask before the next layer sees them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.neurons import NeuronMap
from unnerve.subjects.adapters._wiring import Wiring, first_tensor, hooked, parts

__all__ = ["check_masks", "over_masks", "silencing"]

_CHUNK = 256

Chunk = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, ...]]
"""(inputs (R, ...), masks (R, U), the input each row belongs to (R,)) -> results, each of R rows."""


@contextmanager
def silencing(module: nn.Module, wiring: Wiring, who: str, masks: Tensor) -> Iterator[None]:
    """Multiply the hidden neurons of a pass over R rows by ``masks``, shape (R, U), while the context lasts."""
    # One split rather than many slices: its backward pass writes each column once.
    columns = iter(masks.split([layer.count for layer in wiring.map.hidden.layers], dim=1))
    layers = iter(wiring.map.layers)
    factors = [next(columns) if axes is not None and next(layers).hidden else None for _, axes in wiring.calls]
    names: list[str] = []

    def scale(name: str, output: object, _given: object) -> object:
        place = len(names)
        names.append(name)
        if place >= len(factors) or wiring.calls[place][0] != name or (factor := factors[place]) is None:
            return None
        tensor, axes = first_tensor(output), wiring.calls[place][1]
        assert axes is not None
        return None if tensor is None else _with_first(output, axes.scaled(tensor, factor))

    with hooked(parts(module, wiring.names), scale, wiring.compiled):
        yield
    wiring.check(names, who)


def check_masks(masks: Tensor, rows: int, hidden: NeuronMap, who: str) -> None:
    """Raise a clear error unless there is at least one mask over the hidden neurons for each of the rows."""
    if len(hidden) == 0:
        raise InvalidModel(
            f"{who} has no hidden neurons among those that '{hidden.chosen_by}' chooses: none to silence"
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
    return type(output)(*every) if hasattr(output, "_fields") else type(output)(every)
