"""How a pass over many inputs is run best: micro-batches that stay in cache, memory format, padding."""

import math
import warnings

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters._layers import watchable
from unnerve.subjects.memory_format import channels_last

__all__ = ["FLOOR", "TOO_LARGE", "PassTuning", "is_out_of_memory", "padded"]

FLOOR = 32
"""Below this many rows kernels round differently, so that an input alone would not get the bits it gets in company."""

TOO_LARGE = "even the smallest batch needs more memory than there is"

_CEILING = 256
"""Larger micro-batches are slower, most of all with gradients (decisions/002)."""

_CACHE = 4 * 2**20
"""Bytes of the widest layer's output in one micro-batch, so that the next layer finds it in cache (decisions/002)."""

_MEMORY = 2**30
"""Bytes of all outputs in one micro-batch, as a backward pass keeps them."""


class PassTuning:
    """How a module is run best on inputs of one shape: rows per micro-batch, memory format, own copy or not.

    Parameters
    ----------
    module : nn.Module
    example : Tensor of shape (2, ...)
        Two inputs, on which a few passes are tried.
    """

    halved = False
    """Whether memory ran out, so that there are fewer rows than were planned."""

    def __init__(self, module: nn.Module, example: Tensor) -> None:
        sizes = _output_sizes(module, example.clone())
        # Twice: each output is kept as the layer returned it, and once more as it was changed.
        self._kept = _power_of_two_within(_MEMORY // max(1, 2 * sum(sizes)))
        # Large networks have micro-batches of fewer rows, and always of as many: their bits are those of that number.
        least = min(FLOOR, self._kept)
        self.rows = max(least, min(_CEILING, _nearest_power_of_two(_CACHE / max(1, *sizes))))
        self.channels_last = example.ndim == 4 and _takes_channels_last(module, example.clone())
        self.overwrites = _overwrites_input(module, example.clone())
        # With one thread no kernel has been met that rounds by the number of rows, once there are 32.
        while torch.get_num_threads() > 1 and self.rows > FLOOR and not self._rounds_alike(module, example):
            self.rows //= 2

    def arranged(self, x: Tensor) -> Tensor:
        """Return ``x`` in the memory format that is faster for this module, copied if the module writes into it."""
        if self.overwrites:
            x = x.clone()
        return channels_last(x) if self.channels_last else x.contiguous()

    def _rounds_alike(self, module: nn.Module, example: Tensor) -> bool:
        """Try whether an input has the same bits in a whole micro-batch as among the fewest rows."""
        if not example.is_floating_point():  # words and counts: there are no noisy ones to try
            return True
        low, high = example.aminmax()
        scale = (high - low).clamp_min(torch.finfo(example.dtype).tiny)
        # Not the example itself: of a black image most sums are the same in any order.
        numbers = torch.rand(example.shape, generator=torch.Generator().manual_seed(0)).to(example)
        tried = padded(low + scale * numbers, self.rows)
        try:
            few, all_rows = (module(self.arranged(tried[:rows])) for rows in (FLOOR, self.rows))
        except Exception:  # the pass itself will tell what is wrong
            return True
        if not isinstance(few, Tensor) or not isinstance(all_rows, Tensor) or not few.ndim:
            return True
        same = all_rows[: len(few)]
        # One that looks at its whole batch, or draws at random, answers otherwise in any case.
        return torch.equal(few, same) or not torch.allclose(few, same, rtol=1e-3, atol=1e-5)

    def rows_kept(self) -> int:
        """Return the rows per micro-batch of a pass in which every layer's output is kept."""
        return min(self.rows, self._kept)

    def halve_rows(self, name: str) -> None:
        """Halve the micro-batch after the memory ran out, or give up."""
        if self.rows <= 1:
            raise InvalidModel(f"{name}: {TOO_LARGE}")
        self.rows //= 2
        self.halved = True
        warnings.warn(f"{name}: memory ran out; going on with {self.rows} inputs at a time", stacklevel=2)


def padded(x: Tensor, rows: int) -> Tensor:
    """Repeat the last row until there are at least ``rows`` rows."""
    missing = rows - x.shape[0]
    # A real input, not zeros, by which a module that normalises its input would divide.
    return x if missing <= 0 else torch.cat([x, x[-1:].expand(missing, *x.shape[1:])])


def is_out_of_memory(problem: BaseException) -> bool:
    """Say whether an exception means that memory ran out, on the processor or on an accelerator."""
    if isinstance(problem, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(problem, RuntimeError) and "can't allocate memory" in str(problem)


def _nearest_power_of_two(about: float) -> int:
    return 1 << max(0, round(math.log2(about)))


def _power_of_two_within(most: int) -> int:
    return 1 << (max(1, most).bit_length() - 1)


def _output_sizes(module: nn.Module, example: Tensor) -> list[int]:
    """Return the bytes one input occupies, itself and in the output of each layer."""
    sizes = [example[0].numel() * example.element_size()]

    def record(_module: nn.Module, _inputs: object, output: object) -> None:
        if isinstance(output, Tensor):
            sizes.append(output.numel() * output.element_size() // example.shape[0])

    leaves = [part for part in module.modules() if not list(part.children())] if watchable(module) else []
    handles = [leaf.register_forward_hook(record) for leaf in leaves]
    try:
        module(example)
    finally:
        for handle in handles:
            handle.remove()
    return sizes


def _takes_channels_last(module: nn.Module, example: Tensor) -> bool:
    """Try it: a module that calls ``view`` on a feature map refuses, and keeps the ordinary format."""
    try:
        module(channels_last(example))
    except Exception:
        return False
    return True


def _overwrites_input(module: nn.Module, example: Tensor) -> bool:
    # Torch counts the writes to a tensor; values could be overwritten by equal ones.
    before = example._version
    module(example)
    return example._version != before
