"""Any ``nn.Module`` as a model under test: run in eval mode, left exactly as it was."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Loss, Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.subjects.adapters._filters import counted, default_filter, watchable
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters._passes import FLOOR, TOO_LARGE, Pace, is_out_of_memory, padded
from unnerve.subjects.adapters._sampling import Sampling
from unnerve.subjects.adapters._silencing import check_masks, over_masks, silencing
from unnerve.subjects.adapters._taps import tapped
from unnerve.subjects.adapters._wiring import Wiring, wired
from unnerve.subjects.adapters.dropout import Dropout, has_dropout

__all__ = ["TorchModule"]

CampaignRun = Callable[[Tensor, slice], tuple[Tensor, ...]]


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
        self._answers = Answers(self.name, outputs)
        self._paces: dict[tuple[int, ...], Pace] = {}
        self._samplings: dict[tuple[int, ...], Sampling] = {}
        self._wirings: dict[tuple[int, ...], Wiring] = {}

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Run one forward pass, see :class:`unnerve.core.model.Classifier`."""
        with _untouched(self.module), torch.no_grad(), self._watching(x, want) as seen:
            columns = self._run(x, lambda rows, _: _columns(seen(rows)))
        return Observation(*columns)

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate a loss, see :class:`unnerve.core.model.Differentiable`."""

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            rows = rows.detach().requires_grad_(True)
            # What a module overwrites must not be a leaf.
            shown = seen(rows.clone() if self._pace(rows).overwrites else rows)
            values = loss(shown, padded(self._placed(targets[real]), rows.shape[0]))
            return values.detach(), _gradients(values, rows), *(column.detach() for column in _columns(shown))

        with _untouched(self.module), torch.enable_grad(), self._watching(x, want) as seen:
            values, gradients, *columns = self._run(x, work)
        return values, gradients, Observation(*columns)

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Answer under dropout masks, see :class:`unnerve.core.model.Stochastic`."""
        if len(masks) != len(x):
            raise RuntimeError(f"masks must be those of the inputs, got masks of {len(masks)} for {len(x)} inputs")

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            if self._answers.form == "auto":  # dropout can make answers look like what they are not
                self._logits(rows.clone())
            answers = self._sampling(x).answers(rows, masks[real], self._pace(x).overwrites)
            draws = self._answers.checked_draws(answers, rows.shape[0])
            return (self._answers.logits(draws.flatten(0, 1)).softmax(dim=-1).view_as(draws).transpose(0, 1),)

        with _untouched(self.module), torch.no_grad():
            return self._run(x, work)[0].transpose(0, 1)

    def dropout_places(self, x: Tensor) -> tuple[str, ...]:
        """Return where dropout is put into the module for inputs like ``x``; nothing if its own is used."""
        with _untouched(self.module), torch.no_grad():
            return tuple(map(str, self._sampling(x).places))

    def dropping(self, dropout: Dropout) -> "TorchModule":
        """Return the same model with other dropout in its draws."""
        other = copy(self)
        other.dropout, other.offers, other._samplings = dropout, self.offers | Capability.DROPOUT, {}
        return other

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the neurons for inputs like ``x``, shape (N >= 1, ...)."""
        with _untouched(self.module):
            return self._wiring(x).map

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Answer with some neurons silenced, see :class:`unnerve.core.model.Instrumented`."""

        def chunk(inputs: Tensor, chosen: Tensor, _owners: Tensor) -> tuple[Tensor, ...]:
            return self._run(inputs, lambda rows, real: (self._quietened(rows, self._placed(chosen[real])),))

        with _untouched(self.module), torch.no_grad():
            check_masks(masks, len(x), self._wiring(x).map.hidden, self.name)
            return over_masks(x, masks, chunk)[0]

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Differentiate a loss with respect to masks, see :class:`unnerve.core.model.Instrumented`."""

        def chunk(inputs: Tensor, chosen: Tensor, owners: Tensor) -> tuple[Tensor, ...]:
            def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
                factors = self._placed(chosen[real]).detach().requires_grad_(True)
                logits = self._quietened(rows, factors)[: len(factors)]
                values = loss(Observation(logits), self._placed(targets[owners[real]]))
                return values.detach(), torch.autograd.grad(values.sum(), factors)[0], logits.detach()

            return self._run(inputs, work, keeping=True)

        with _untouched(self.module), torch.enable_grad():
            check_masks(masks, len(x), self._wiring(x).map.hidden, self.name)
            values, gradients, logits = over_masks(x, masks, chunk)
        return values, gradients, logits

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash of architecture and weights."""
        digest = hashlib.blake2b(repr(self.module).encode(), digest_size=16)
        if self.dropout != Dropout():
            digest.update(repr(self.dropout).encode())
        for name, tensor in self.module.state_dict().items():
            digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    def _run(self, x: Tensor, work: CampaignRun, keeping: bool = False) -> tuple[Tensor, ...]:
        """Run ``work`` on one micro-batch after the other and join what it returns; small ones if it keeps all maps."""
        pace = self._pace(x)
        pieces: list[tuple[Tensor, ...]] = []
        start = 0
        while start < len(x):
            most = pace.rows_kept() if keeping else pace.rows
            real = slice(start, min(len(x), start + most))
            rows = padded(self._placed(x[real]), min(FLOOR, most))
            try:
                result = work(pace.arranged(rows), real)
            except (RuntimeError, MemoryError) as problem:
                if not is_out_of_memory(problem):
                    raise
                pace.slower(self.name)
                continue
            pieces.append(tuple(column[: real.stop - start].to(x.device) for column in result))
            start = real.stop
        return pieces[0] if len(pieces) == 1 else tuple(torch.cat(column) for column in zip(*pieces, strict=True))

    @contextmanager
    def _watching(self, x: Tensor, want: Want) -> Iterator[Callable[[Tensor], Observation]]:
        """Give a pass over rows like those of ``x`` that shows what is wanted, while the context lasts."""
        self._pace(x)  # its own passes are not to be watched
        if Want.NEURONS not in want:
            yield lambda rows: Observation(self._logits(rows))
            return
        with tapped(self.module, self._wiring(x), self.name, Want.RANGES in want) as seen:
            yield lambda rows: seen(self._logits, rows)

    def _quietened(self, rows: Tensor, masks: Tensor) -> Tensor:
        with silencing(self.module, self._wiring(rows), self.name, padded(masks, len(rows))):
            return self._logits(rows)

    def _logits(self, rows: Tensor) -> Tensor:
        return self._answers.logits(self._answer(rows))

    def _answer(self, rows: Tensor) -> Tensor:
        return self._answers.checked(self._called(rows), rows.shape[0])

    def _called(self, rows: Tensor) -> object:
        try:
            return self.module(rows)
        except (Exception, SystemExit) as problem:
            if is_out_of_memory(problem):
                raise
            shape = tuple(rows.shape)
            line = str(problem).strip().splitlines()[0] if str(problem).strip() else "no message"
            raise InvalidModel(
                f"{self.name} raised {type(problem).__name__} on inputs of shape {shape}: {line}"
            ) from problem

    def _placed(self, x: Tensor) -> Tensor:
        home = next(self.module.parameters(), x)
        kind = home.dtype if home.is_floating_point() and x.is_floating_point() else x.dtype
        placed = x.to(home.device, kind)
        return placed.clone() if x.is_inference() else placed

    def _pair(self, x: Tensor, rows: int = 2) -> Tensor:
        """Return a copy of two rows: few enough to be quick, and not one, which some modules squeeze away."""
        return padded(self._placed(x[:rows]), rows).clone()

    def _pace(self, x: Tensor) -> Pace:
        if len(x) == 0:
            raise InvalidData(f"{self.name}: a pass needs at least one input")
        shape = tuple(x.shape[1:])
        if shape not in self._paces:
            with self._fitting(), torch.no_grad():
                self._answer(self._pair(x))  # a clear error before any probing
                self._paces[shape] = Pace(self.module, self._pair(x))
        return self._paces[shape]

    def _sampling(self, x: Tensor) -> Sampling:
        shape = tuple(x.shape[1:])
        if shape not in self._samplings:
            first = self._pace(x).arranged(self._pair(x.detach()))
            self._samplings[shape] = Sampling(self.module, self.name, self.dropout, self._called, first)
        return self._samplings[shape]

    def _wiring(self, x: Tensor) -> Wiring:
        shape = tuple(x.shape[1:])
        if shape not in self._wirings:
            with self._fitting(), torch.no_grad():
                self._wirings[shape] = wired(
                    self.module, self.neurons, self.name, lambda rows: self._answer(self._pair(x.detach(), rows))
                )
        return self._wirings[shape]

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Turn memory that runs out on a few rows into a clear error."""
        try:
            yield
        except (RuntimeError, MemoryError) as problem:
            if not is_out_of_memory(problem):
                raise
            raise InvalidModel(f"{self.name}: {TOO_LARGE}") from problem


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


@contextmanager
def _untouched(module: nn.Module) -> Iterator[None]:
    """Run in eval mode and outside inference mode; give back training flags and random state as they were."""
    training = [part for part in module.modules() if part.training]
    state = torch.get_rng_state()
    for part in training:
        part.training = False
    try:
        with torch.inference_mode(False):
            yield
    finally:
        for part in training:
            part.training = True
        torch.set_rng_state(state)
