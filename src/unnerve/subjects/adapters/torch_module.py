"""Any ``nn.Module`` as a model under test: run in eval mode, left exactly as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy

import torch
from torch import Tensor, nn

from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Loss, Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.subjects.adapters._identity import module_identity, probes
from unnerve.subjects.adapters._layers import watchable
from unnerve.subjects.adapters._micro_batches import MicroBatches
from unnerve.subjects.adapters._module_calls import ModuleCalls, unchanged
from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.dropout.detection import has_dropout
from unnerve.subjects.adapters.dropout.monte_carlo import MonteCarloDropout
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.folding import folded
from unnerve.subjects.adapters.gradients.input_convolution import ordinary, reads_grey
from unnerve.subjects.adapters.gradients.quick_gradients import QuickGradients
from unnerve.subjects.adapters.neurons.filters import counted, default_filter
from unnerve.subjects.adapters.neurons.incoming_weights import incoming_weights
from unnerve.subjects.adapters.neurons.instrumentation import Instrumentation
from unnerve.subjects.adapters.normalised import Normalised, check_stated
from unnerve.subjects.declaration import Declaration

__all__ = ["TorchModule"]

_ALIKE = 1e-3
"""By how much answers of a quick copy may differ, relative to the largest: rounding makes far less of a difference."""


class TorchModule:
    """A classifier made of an ``nn.Module``.

    Parameters
    ----------
    module : nn.Module
        From float32 inputs (N, ...) to logits or probabilities (N, C). It is neither copied nor changed.
    name : str
        Shown in reports.
    outputs : str
        ``logits``, ``probabilities``, or ``auto``: decided by the first answer.
    neurons : str, optional
        Which layers have neurons that count: ``deepxplore``, ``no_activation``, ``conv_dense``, or a pattern of
        names such as ``conv*``; the module's own filter if None, and ``deepxplore`` if it has none.
    dropout : Dropout, optional
        Where units are dropped in draws, and at which rate; as the module itself says if None.
    """

    declared = Declaration()
    """What the model's form knows about it."""

    expects: ValueRange | None = None
    """The range of the values that it was made for; None for whatever the data hold."""

    def __init__(
        self,
        module: nn.Module,
        name: str | None = None,
        outputs: str = "auto",
        neurons: str | None = None,
        dropout: Dropout | None = None,
    ) -> None:
        self.module = module
        self.name = name or type(module).__name__
        self.neurons = neurons or default_filter(module)
        if neurons:
            counted(module, neurons)  # a clear error before any pass
        self.offers = Capability.GRADIENTS | (Capability.NEURONS if watchable(module) else Capability.ANSWERS)
        if dropout is not None or has_dropout(module):
            self.offers |= Capability.DROPOUT
        self.dropout = dropout or Dropout()
        self.outputs = outputs
        self._calls = ModuleCalls(module, self.name, outputs)
        self._batches = MicroBatches(self._calls)
        self._instrumentation = Instrumentation(self._calls, self._batches, self.neurons)
        self._draws = MonteCarloDropout(self._calls, self._batches, self.dropout)

    @property
    def halved(self) -> int | None:
        """Inputs at a time after memory ran out, see :class:`unnerve.core.model.Halving`."""
        return self._batches.halved

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Run one forward pass, see :class:`unnerve.core.model.Classifier`."""
        with unchanged(self.module), torch.no_grad(), self._watching(x, want) as seen:
            columns = self._batches.run(x, lambda rows, _: _columns(seen(rows)))
        return Observation(*columns)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss, see :class:`unnerve.core.model.Differentiable`."""
        if Want.MANY_GRADIENTS in want and reads_grey(self.module):
            try:
                return self._differentiated(x, loss, targets, want, quick=True)
            except (RuntimeError, InvalidModel):
                pass  # a module that differentiates within itself may need what is left out; others fail once more
        return self._differentiated(x, loss, targets, want, quick=False)

    def _differentiated(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want, quick: bool
    ) -> tuple[Tensor, Tensor, Observation]:
        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            rows = (ordinary(rows.detach()) if quick else rows.detach()).requires_grad_(True)
            # What a module overwrites must not be a leaf.
            shown = seen(rows.clone() if self._batches.tuning(rows).overwrites else rows)
            values = loss(shown, padded(self._batches.moved(targets[real]), rows.shape[0]))
            return values.detach(), _gradients(values, rows), *(column.detach() for column in _columns(shown))

        mode = QuickGradients() if quick else nullcontext()
        with unchanged(self.module), torch.enable_grad(), self._watching(x, want) as seen, mode:
            values, gradients, *columns = self._batches.run(x, work)
        return values, gradients, Observation(*columns)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Answer under dropout masks, see :class:`unnerve.core.model.Stochastic`."""
        with unchanged(self.module), torch.no_grad():
            return self._draws.samples(x, masks)

    def observed_samples(self, x: Tensor, masks: Masks) -> tuple[Observation, Tensor]:
        """Answer without dropout and under masks, see :class:`unnerve.core.model.ObservedDraws`."""
        with unchanged(self.module), torch.no_grad():
            logits, draws = self._draws.observed(x, masks)
        return Observation(logits), draws

    def drawn_gradient(
        self, x: Tensor, masks: Masks, loss: Loss, targets: Tensor
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss under dropout, see :class:`unnerve.core.model.DifferentiableDraws`."""
        if masks.draws != 1 or len(masks) != len(x):
            raise RuntimeError(f"masks must be one draw of {len(x)} inputs, got {masks.draws} of {len(masks)}")

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            rows = rows.detach().requires_grad_(True)
            logits = self._draws.logits(rows.clone(), masks[real], x)
            values = loss(Observation(logits), padded(self._batches.moved(targets[real]), rows.shape[0]))
            return values.detach(), _gradients(values, rows), logits.detach()

        with unchanged(self.module):
            with torch.no_grad():
                self._draws.points(x)  # what is found out once needs no gradients
            with torch.enable_grad():
                values, gradients, logits = self._batches.run(x, work)
        return values, gradients, Observation(logits)

    def dropout_points(self, x: Tensor) -> tuple[str, ...]:
        """Return where dropout is put into the module for inputs like ``x``; nothing if its own is used."""
        with unchanged(self.module), torch.no_grad():
            return tuple(map(str, self._draws.points(x)))

    def dropping(self, dropout: Dropout) -> "TorchModule":
        """Return the same model with other dropout in its draws."""
        other = copy(self)
        other.dropout, other.offers = dropout, self.offers | Capability.DROPOUT
        other._draws = MonteCarloDropout(self._calls, self._batches, dropout)
        return other

    def taking(self, held: ValueRange) -> "TorchModule":
        """Return the same model for data of this range, see :class:`unnerve.core.data.ranges.Ranged`."""
        if held == (self.expects or UNIT):
            return self
        other = copy(self)
        if self.expects is None:
            check_stated(self.module, held)
        else:
            own = None if self.dropout == Dropout() else self.dropout
            module = Normalised.between(self.module, held, self.expects)
            other = TorchModule(module, self.name, self.outputs, self.neurons, own)
            other.declared = self.declared
        other.expects = held
        return other

    def quick(self, shape: tuple[int, ...]) -> "TorchModule | None":
        """Return a copy with its batch norms folded away, see :class:`unnerve.core.model.Quickened`."""
        rows = probes(shape, self.expects or UNIT)[:2]
        try:
            with unchanged(self.module), torch.no_grad():
                copy = folded(self.module, self._batches.few_rows(rows))
            if copy is None:
                return None
            exact = self.observe(rows).logits
            quick = TorchModule(copy, self.name, self._calls.form)
            quick.expects = self.expects
            quick._batches = self._batches.of(quick._calls)
            answers = quick.observe(rows).logits
        # Modules are somebody's code, and what they do not like of probes does not matter here.
        except Exception:
            return None
        # What a convolution returns may be used elsewhere too, and folding would have changed it there.
        alike = bool(((answers - exact).abs() <= _ALIKE * exact.abs().amax()).all())
        return quick if alike else None

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the neurons for inputs like ``x``, shape (N >= 1, ...)."""
        with unchanged(self.module):
            return self._instrumentation.call_map(x).map

    def incoming_weights(self, x: Tensor) -> Tensor:
        """Return each neuron's mean incoming weight, see :class:`unnerve.core.model.Weighted`."""
        return incoming_weights(self.module, self.neuron_map(x))

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Compare layers with those of clean inputs, see :class:`unnerve.core.model.Instrumented`."""
        with unchanged(self.module), torch.no_grad():
            self._batches.tuning(x)  # its own passes are not to be watched
            return self._instrumentation.layer_moves(x, clean, owners)

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Answer with some neurons silenced, see :class:`unnerve.core.model.Instrumented`."""
        with unchanged(self.module), torch.no_grad():
            return self._instrumentation.silenced(x, masks)

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Differentiate a loss with respect to masks, see :class:`unnerve.core.model.Instrumented`."""
        with unchanged(self.module), torch.enable_grad():
            return self._instrumentation.mask_gradient(x, masks, loss, targets)

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash of architecture, weights, the program of its own classes, and answers to fixed probes."""
        more = "" if self.dropout == Dropout() else repr(self.dropout)
        return module_identity(self.module, lambda x: self.observe(x).logits, shape, self.expects or UNIT, more)

    @contextmanager
    def _watching(self, x: Tensor, want: Want) -> Iterator[Callable[[Tensor], Observation]]:
        """Give a pass over rows like those of ``x`` that shows what is wanted, while the context lasts."""
        self._batches.tuning(x)  # its own passes are not to be watched
        if Want.NEURONS not in want:
            yield lambda rows: Observation(self._calls.logits(rows))
            return
        with self._instrumentation.watched(x, ranged=Want.RANGES in want) as seen:
            yield seen


def _columns(seen: Observation) -> tuple[Tensor, ...]:
    return tuple(column for column in (seen.logits, seen.activity, seen.extent) if column is not None)


def _gradients(values: Tensor, rows: Tensor) -> Tensor:
    if values.ndim == 1:
        return torch.autograd.grad(values.sum(), rows)[0]
    last = values.shape[1] - 1
    each = [torch.autograd.grad(values[:, k].sum(), rows, retain_graph=k < last)[0] for k in range(last + 1)]
    # Channels-last gradients are stacked with K innermost: rows of one input would lie otherwise than rows of many,
    # and whoever sums over them would add in another order.
    return torch.stack(each, dim=1).contiguous()
