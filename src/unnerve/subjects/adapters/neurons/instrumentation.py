"""Passes over any number of inputs that show a module's neurons, or in which some of them are off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from unnerve.core.model import Loss, Observation
from unnerve.subjects.adapters._micro_batches import MicroBatches
from unnerve.subjects.adapters._module_calls import ModuleCalls
from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.neurons.ablation import ablation, check_masks, over_masks
from unnerve.subjects.adapters.neurons.activations import watched_activations
from unnerve.subjects.adapters.neurons.call_map import CallMap, call_map
from unnerve.subjects.adapters.neurons.layer_moves import layer_moves

__all__ = ["Instrumentation"]


class Instrumentation:
    """Finds, watches and ablates the neurons of a module.

    Parameters
    ----------
    calls : ModuleCalls
    batches : MicroBatches
    layer_filter : str
        Which layers count, see :func:`~unnerve.subjects.adapters.neurons.filters.counted`.
    """

    def __init__(self, calls: ModuleCalls, batches: MicroBatches, layer_filter: str) -> None:
        self._calls, self._batches, self._filter = calls, batches, layer_filter
        self._call_maps: dict[tuple[int, ...], CallMap] = {}

    def call_map(self, x: Tensor) -> CallMap:
        """Return the layer calls for inputs like ``x``, found out when their shape is first seen."""
        # For one shape only: with another, layers have other outputs, and other layers may be called.
        shape = tuple(x.shape[1:])
        if shape not in self._call_maps:

            def answer(rows: int) -> Tensor:
                return self._calls.answer(self._batches.few_rows(x.detach(), rows))

            with self._batches.fitting_memory(), torch.no_grad():
                self._call_maps[shape] = call_map(self._calls.module, self._filter, self._calls.name, answer)
        return self._call_maps[shape]

    @contextmanager
    def watched(self, x: Tensor, ranged: bool) -> Iterator[Callable[[Tensor], Observation]]:
        """Give a pass over rows like those of ``x`` that shows their neurons, while the context lasts."""
        with watched_activations(self._calls.module, self.call_map(x), self._calls.name, ranged) as observed:
            yield lambda rows: observed(self._calls.logits, rows)

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Return how far layers move, see :class:`unnerve.core.model.Instrumented`."""
        watched = self.call_map(x)

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            own, places = owners[real].unique(return_inverse=True)
            before = self._batches.tuning(x).arranged(self._batches.moved(clean[own]))
            return layer_moves(self._calls, watched, rows, before, padded(places.to(rows.device), len(rows)))

        # Fewer rows at a time: the clean inputs join them.
        moves, extent = self._batches.run(x, work, keeps_outputs=True)
        return moves, extent

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Return logits under masks, see :class:`unnerve.core.model.Instrumented`."""

        def chunk(inputs: Tensor, chosen: Tensor, _owners: Tensor) -> tuple[Tensor, ...]:
            def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
                return (self._ablated(rows, self._batches.moved(chosen[real])),)

            return self._batches.run(inputs, work)

        check_masks(masks, len(x), self.call_map(x).map.hidden, self._calls.name)
        return over_masks(x, masks, chunk)[0]

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return losses, their gradients and logits under masks, see :class:`unnerve.core.model.Instrumented`."""

        def chunk(inputs: Tensor, chosen: Tensor, owners: Tensor) -> tuple[Tensor, ...]:
            def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
                factors = self._batches.moved(chosen[real]).detach().requires_grad_(True)
                logits = self._ablated(rows, factors)[: len(factors)]
                values = loss(Observation(logits), self._batches.moved(targets[owners[real]]))
                return values.detach(), torch.autograd.grad(values.sum(), factors)[0], logits.detach()

            return self._batches.run(inputs, work, keeps_outputs=True)

        check_masks(masks, len(x), self.call_map(x).map.hidden, self._calls.name)
        values, gradients, logits = over_masks(x, masks, chunk)
        return values, gradients, logits

    def _ablated(self, rows: Tensor, masks: Tensor) -> Tensor:
        with ablation(self._calls.module, self.call_map(rows), self._calls.name, padded(masks, len(rows))):
            return self._calls.logits(rows)
