"""Splitting a pass into micro-batches that stay in cache and fit into memory, with the same bits as one big pass."""

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._filters import watchable

__all__ = ["FLOOR", "TOO_LARGE", "Pace", "is_out_of_memory", "padded"]

FLOOR = 32
"""Below this many rows kernels round differently, so that an input alone would not get the bits it gets in company."""

TOO_LARGE = "even the smallest batch needs more memory than there is"

_CEILING = 256
_CACHE = 16 * 2**20


class Pace:
    """How a module takes its inputs best: rows per micro-batch, memory format, own copy or not.

    Found out once per input shape, by a few passes over two rows.
    """

    def __init__(self, module: nn.Module, example: Tensor) -> None:
        largest = _largest_output(module, example.clone())
        fitting = _CACHE // max(1, largest)
        self.rows = max(FLOOR, min(_CEILING, 1 << (max(1, fitting).bit_length() - 1)))
        self.channels_last = example.ndim == 4 and _takes_channels_last(module, example.clone())
        self.overwrites = _overwrites_input(module, example.clone())

    def arranged(self, x: Tensor) -> Tensor:
        """Return ``x`` in the memory format that is faster for this module, copied if the module writes into it."""
        if self.overwrites:
            x = x.clone()
        return x.contiguous(memory_format=torch.channels_last) if self.channels_last else x.contiguous()

    def slower(self, name: str) -> None:
        """Halve the micro-batch after the memory ran out, or give up."""
        if self.rows <= 1:
            raise InvalidModel(f"{name}: {TOO_LARGE}")
        self.rows //= 2


def padded(x: Tensor, rows: int) -> Tensor:
    """Repeat the last row until there are at least ``rows`` rows."""
    missing = rows - x.shape[0]
    return x if missing <= 0 else torch.cat([x, x[-1:].expand(missing, *x.shape[1:])])


def is_out_of_memory(problem: BaseException) -> bool:
    """Say whether an exception means that memory ran out, on the processor or on an accelerator."""
    if isinstance(problem, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(problem, RuntimeError) and "can't allocate memory" in str(problem)


def _largest_output(module: nn.Module, example: Tensor) -> int:
    """Return the bytes one input occupies at the widest place of the network."""
    sizes = [example[0].numel() * example.element_size()]

    def note(_module: nn.Module, _inputs: object, output: object) -> None:
        if isinstance(output, Tensor):
            sizes.append(output.numel() * output.element_size() // example.shape[0])

    leaves = [part for part in module.modules() if not list(part.children())] if watchable(module) else []
    handles = [leaf.register_forward_hook(note) for leaf in leaves]
    try:
        module(example)
    finally:
        for handle in handles:
            handle.remove()
    return max(sizes)


def _takes_channels_last(module: nn.Module, example: Tensor) -> bool:
    """Try it: a module that calls ``view`` on a feature map refuses, and keeps the ordinary format."""
    try:
        module(example.contiguous(memory_format=torch.channels_last))
    except Exception:
        return False
    return True


def _overwrites_input(module: nn.Module, example: Tensor) -> bool:
    before = example._version
    module(example)
    return example._version != before
