"""Dropout draws of a module: found out once per input shape, then run on any number of rows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.subjects.adapters._layers import COMPILED
from unnerve.subjects.adapters.dropout._batch_axes import batch_axes
from unnerve.subjects.adapters.dropout._draws_together import draws_together, may_be_together
from unnerve.subjects.adapters.dropout._dropout_apply import MaskedDropout
from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._dropout_points import (
    DropoutPoint,
    chosen_points,
    dropout_inserted,
    found_points,
)
from unnerve.subjects.adapters.dropout._layer_calls import layer_calls
from unnerve.subjects.adapters.dropout._provenance import Call, CallRecorder, tensors
from unnerve.subjects.adapters.dropout._replay import Answered, Replay
from unnerve.subjects.adapters.dropout._replay_plan import replay_plan
from unnerve.subjects.adapters.dropout.settings import Dropout

__all__ = ["Sampling"]

Run = Callable[[Tensor], object]


class Sampling:
    """How draws of a module are made for inputs of one shape.

    Parameters
    ----------
    module : nn.Module
        In eval mode.
    name : str
        For errors.
    dropout : Dropout
    run : callable
        Runs the module on some rows; what it returns is the answer.
    x : Tensor of shape (N >= 1, ...)
        Inputs of that shape.

    Attributes
    ----------
    points : tuple of DropoutPoint
        Where dropout was put into the module; nothing if its own is used.
    shares_answer : bool
        Whether the answer without dropout may come first, and share what comes before dropout with the draws.
    """

    def __init__(self, module: nn.Module, name: str, dropout: Dropout, run: Run, x: Tensor) -> None:
        if any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
            raise InvalidModel(
                f"{name}: the dropout of a TorchScript program cannot be reached; give the nn.Module it was made of"
            )
        self.module, self.points = module, tuple[DropoutPoint, ...]()
        self._run = run
        two = _two_rows(x)
        with _eager(module):
            if dropout.places is not None:
                self.points = chosen_points(layer_calls(module, lambda: run(two.clone())), dropout.places, name)
            self._dropout_calls = DropoutCalls(dropout.rate, inserted=dropout.places is not None)
            recorded = self._recorded(two)
            if not recorded.dropped and dropout.places is None:
                if dropout.rate is None:
                    raise InvalidModel(_without_dropout(name))
                self.points = found_points(layer_calls(module, lambda: run(two.clone())), name)
                self._dropout_calls = DropoutCalls(dropout.rate, inserted=True)
                recorded = self._recorded(two)
            # The axis that is longer for three inputs than for two is theirs; the first input twice, so that it can
            # be told from the values where an input's parts lie.
            three = self._recorded(torch.cat([two[:1], two]))
        self.batch_axes = batch_axes(recorded.dropped, three.dropped, name)
        self._plan = replay_plan(recorded.calls, recorded.answer)
        self.shares_answer = not _writes_what_was_dropped(recorded.calls)
        self._widest = 0
        if may_be_together(recorded.calls, self._plan, self.batch_axes) and self._keeps_draws_apart(two):
            self._widest = max(call.size for call in recorded.calls[len(self._plan.again) :]) // len(two)

    def answers(self, x: Tensor, masks: Masks, overwritten: bool, whole_first: bool = False) -> Iterator[Answered]:
        """Yield the answers to ``x``, shape (N, ...), draw after draw; rows beyond the masks have the last input's.

        Of draws that are made together the last may be more than were asked for. Before them, if it is asked for, comes
        the answer without dropout.
        """
        # A gradient has one draw a row.
        together = draws_together(len(x), self._widest) if self._widest and not x.requires_grad else 1
        return self._passes(x, masks, overwritten, together, whole_first)

    def _passes(
        self, x: Tensor, masks: Masks, overwritten: bool, together: int, whole_first: bool = False
    ) -> Iterator[Answered]:
        masked = MaskedDropout(masks, len(x), x.device)
        replay = Replay(self._plan, self._dropout_calls, self.batch_axes, masked, together)
        with dropout_inserted(self.module, self.points), _eager(self.module):
            yield from replay.passes(self._run, x, range(-1 if whole_first else 0, masks.draws), overwritten)

    def _keeps_draws_apart(self, two: Tensor) -> bool:
        """Try whether draws are the same one by one and as rows of one pass: code may count on its number of rows."""
        masks = Masks(0, ("one", "other"), 3)
        try:
            apart, together = (
                [list(tensors(_shown(one.output))) for one in self._passes(two.clone(), masks, True, count)]
                for count in (1, 3)
            )
            return all(map(_same, map(torch.cat, zip(*apart, strict=True)), together[0]))
        except Exception:  # whatever it raises, it is not made for that
            return False

    def _recorded(self, x: Tensor) -> CallRecorder:
        x = x.clone()
        with dropout_inserted(self.module, self.points):
            recorder = CallRecorder(self._dropout_calls, x)
            with recorder:
                answer = self._run(x)
        recorder.end(answer)
        return recorder


def _writes_what_was_dropped(calls: Sequence[Call]) -> bool:
    """Say whether a call writes into what went into dropout or came out of it.

    Without dropout both are one tensor, and under it they are two: what is written in a pass without it would be found
    by later draws.
    """
    dropped = {memory for call in calls if call.is_dropout for memory in (*call.reads, *call.returns)}
    return any(not dropped.isdisjoint(call.writes) for call in calls)


def _shown(output: object) -> object:
    # Objects with fields, as those of transformers.
    return getattr(output, "logits", output)


def _same(one: Tensor, other: Tensor) -> bool:
    # Kernels round differently for other numbers of rows.
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-3, atol=1e-5)


def _two_rows(x: Tensor) -> Tensor:
    """Return two rows that differ, so that it can be seen which numbers belong to which."""
    first = x[:1].clone()
    return torch.cat([first, 1 - first if first.is_floating_point() else first])


def _eager(module: nn.Module) -> AbstractContextManager[None]:
    """Run what was compiled call by call: a compiled program has no calls to look at."""
    # Module.compile() replaces no module, it only sets this attribute.
    compiled = any(
        hasattr(part, COMPILED) or getattr(part, "_compiled_call_impl", None) is not None for part in module.modules()
    )
    if not compiled:
        return nullcontext()
    stance: AbstractContextManager[None] = torch.compiler.set_stance("force_eager")
    return stance


def _without_dropout(name: str) -> str:
    return (
        f"{name} has no dropout that draws could use (what runs only if self.training is set cannot be reached); "
        "give it some: --dropout RATE, in Python unnerve.with_dropout(model, rate)"
    )
