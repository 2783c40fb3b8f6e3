"""Dropout draws of a module: found out once per input shape, then run on any number of rows."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.subjects.adapters._layouts import layouts
from unnerve.subjects.adapters._places import Place, chosen_places, found_places, placing
from unnerve.subjects.adapters._plan import plan
from unnerve.subjects.adapters._provenance import Watch
from unnerve.subjects.adapters._replay import Replay
from unnerve.subjects.adapters._sites import Sites
from unnerve.subjects.adapters._thinning import Thinning
from unnerve.subjects.adapters._visits import visits
from unnerve.subjects.adapters.dropout import Dropout

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
    """

    def __init__(self, module: nn.Module, name: str, dropout: Dropout, run: Run, x: Tensor) -> None:
        if any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
            raise InvalidModel(
                f"{name}: the dropout of a TorchScript program cannot be reached; give the nn.Module it was made of"
            )
        self.module, self.places = module, tuple[Place, ...]()
        self._run = run
        two = _two_rows(x)
        with _eager(module):
            if dropout.places is not None:
                self.places = chosen_places(visits(module, lambda: run(two.clone())), dropout.places, name)
            self._sites = Sites(dropout.rate, inserted=dropout.places is not None)
            watched = self._watched(two)
            if not watched.dropped and dropout.places is None:
                if dropout.rate is None:
                    raise InvalidModel(_without_dropout(name))
                self.places = found_places(visits(module, lambda: run(two.clone())), name)
                self._sites = Sites(dropout.rate, inserted=True)
                watched = self._watched(two)
            three = self._watched(torch.cat([two[:1], two]))
        self._layouts = layouts(watched.dropped, three.dropped, name)
        self._plan = plan(watched.calls, watched.answer)

    def answers(self, x: Tensor, masks: Masks, overwritten: bool) -> Iterator[object]:
        """Yield the answers to ``x``, shape (N, ...), in each draw; rows beyond the masks have the last input's."""
        replay = Replay(self._plan, self._sites, self._layouts, Thinning(masks, len(x), x.device))
        with placing(self.module, self.places), _eager(self.module):
            yield from replay.passes(self._run, x, masks.draws, overwritten)

    def _watched(self, x: Tensor) -> Watch:
        x = x.clone()
        with placing(self.module, self.places):
            watch = Watch(self._sites, x)
            with watch:
                answer = self._run(x)
        watch.end(answer)
        return watch


def _two_rows(x: Tensor) -> Tensor:
    """Return two rows that differ, so that it can be seen which numbers belong to which."""
    first = x[:1].clone()
    return torch.cat([first, 1 - first if first.is_floating_point() else first])


def _eager(module: nn.Module) -> AbstractContextManager[None]:
    """Run what was compiled call by call: a compiled program has no calls to look at."""
    compiled = any(
        hasattr(part, "_orig_mod") or getattr(part, "_compiled_call_impl", None) is not None
        for part in module.modules()
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
