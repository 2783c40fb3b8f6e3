"""Running a module on any number of inputs: cut into micro-batches, padded, and put together again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.progress import show_work
from unnerve.subjects.adapters._module_calls import ModuleCalls
from unnerve.subjects.adapters._passes import FLOOR, TOO_LARGE, PassTuning, is_out_of_memory, padded

__all__ = ["BatchWork", "MicroBatches"]

BatchWork = Callable[[Tensor, slice], tuple[Tensor, ...]]
"""(rows of a micro-batch, which inputs they are) -> results, each of at least as many rows as there are inputs.

The rows may be more than the inputs: what belongs to those beyond is dropped."""


class MicroBatches:
    """Runs work on a module's inputs, micro-batch after micro-batch, with the bits of one big pass.

    Parameters
    ----------
    calls : ModuleCalls
    """

    def __init__(self, calls: ModuleCalls) -> None:
        self._calls = calls
        self._tunings: dict[tuple[int, ...], PassTuning] = {}  # by number of threads, and shape of an input

    def of(self, calls: ModuleCalls) -> "MicroBatches":
        """Return the same for calls of a copy of the module, which is run as this one is."""
        other = MicroBatches(calls)
        other._tunings = self._tunings
        return other

    def run(self, x: Tensor, work: BatchWork, keeps_outputs: bool = False) -> tuple[Tensor, ...]:
        """Run ``work`` on one micro-batch after the other and join what it returns.

        Parameters
        ----------
        x : Tensor of shape (N >= 1, ...)
        work : callable
        keeps_outputs : bool
            Whether the work keeps the output of every layer, so that fewer rows fit into memory.

        Returns
        -------
        tuple of Tensor of shape (N, ...)
            On the device of ``x``.
        """
        tuning = self.tuning(x)
        pieces: list[tuple[Tensor, ...]] = []
        start = 0
        while start < len(x):
            most = tuning.rows_kept() if keeps_outputs else tuning.rows
            real = slice(start, min(len(x), start + most))
            # No further than the micro-batch: where memory allows fewer rows, the same bits are no longer to be had.
            rows = padded(self.moved(x[real]), min(FLOOR, most))
            try:
                result = work(tuning.arranged(rows), real)
            except (RuntimeError, MemoryError) as problem:
                if not is_out_of_memory(problem):
                    raise
                tuning.halve_rows(self._calls.name)
                continue
            pieces.append(tuple(column[: real.stop - start].to(x.device) for column in result))
            start = real.stop
            show_work()
        return pieces[0] if len(pieces) == 1 else tuple(torch.cat(column) for column in zip(*pieces, strict=True))

    def tuning(self, x: Tensor) -> PassTuning:
        """Return how inputs like ``x`` are run best, found out when their shape is first seen."""
        if len(x) == 0:
            raise InvalidData(f"{self._calls.name}: a pass needs at least one input")
        key = (torch.get_num_threads(), *x.shape[1:])
        if key not in self._tunings:
            with self.fitting_memory(), torch.no_grad():
                self._calls.answer(self.few_rows(x))  # a clear error before any probing
                self._tunings[key] = PassTuning(self._calls.module, self.few_rows(x))
        return self._tunings[key]

    @property
    def halved(self) -> int | None:
        """Rows of a micro-batch after memory ran out, of the inputs that it ran out on; None if it never did."""
        return min((one.rows for one in self._tunings.values() if one.halved), default=None)

    def few_rows(self, x: Tensor, rows: int = 2) -> Tensor:
        """Return a copy of the first rows: few enough to be quick, and not one, which some modules squeeze away."""
        return padded(self.moved(x[:rows]), rows).clone()

    def moved(self, x: Tensor) -> Tensor:
        """Return ``x`` on the device of the module's weights, and in their precision if it has one."""
        weights = next(self._calls.module.parameters(), x)
        kind = weights.dtype if weights.is_floating_point() and x.is_floating_point() else x.dtype
        moved = x.to(weights.device, kind)
        # What was made in inference mode cannot be differentiated, its copy can.
        return moved.clone() if x.is_inference() else moved

    @contextmanager
    def fitting_memory(self) -> Iterator[None]:
        """Turn memory that runs out on a few rows into a clear error."""
        try:
            yield
        except (RuntimeError, MemoryError) as problem:
            if not is_out_of_memory(problem):
                raise
            raise InvalidModel(f"{self._calls.name}: {TOO_LARGE}") from problem
