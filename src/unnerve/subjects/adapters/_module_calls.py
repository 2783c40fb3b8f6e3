"""Single calls of a module: clear errors, answers as logits, and the module left as it was."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from unnerve.core.errors import FROM_OUTSIDE, InvalidModel, UserError
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters._passes import is_out_of_memory

__all__ = ["ModuleCalls", "unchanged"]


class ModuleCalls:
    """Calls a module and reads its answers.

    Parameters
    ----------
    module : nn.Module
    name : str
        For errors.
    outputs : str
        ``logits``, ``probabilities``, or ``auto``: decided by the first answer.
    """

    def __init__(self, module: nn.Module, name: str, outputs: str) -> None:
        self.module, self.name = module, name
        self._answers = Answers(name, outputs)

    @property
    def form(self) -> str:
        """What answers are, as it is stated to a model; ``auto`` before the first of them."""
        return self._answers.stated

    def logits(self, rows: Tensor) -> Tensor:
        """Return the logits of some rows, shape (N, C)."""
        return self._answers.logits(self.answer(rows))

    def logits_of(self, output: object, rows: int) -> Tensor:
        """Return what the module returned for so many rows as logits, shape (N, C)."""
        return self._answers.logits(self._answers.checked(output, rows))

    def answer(self, rows: Tensor) -> Tensor:
        """Return the checked answer to some rows, shape (N, C): logits or probabilities."""
        return self._answers.checked(self.output(rows), rows.shape[0])

    def output(self, rows: Tensor) -> object:
        """Return whatever the module returns; what it raises becomes :class:`InvalidModel`."""
        try:
            return self.module(rows)
        except (UserError, *FROM_OUTSIDE):  # says what is wrong already, or is nothing of the model's
            raise
        except BaseException as problem:
            # Fewer rows may fit, so this one is left to who chose how many.
            if is_out_of_memory(problem):
                raise
            shape = tuple(rows.shape)
            line = str(problem).strip().splitlines()[0] if str(problem).strip() else "no message"
            raise InvalidModel(
                f"{self.name} raised {type(problem).__name__} on inputs of shape {shape}: {line}"
            ) from problem

    def settle_form(self, rows: Tensor) -> None:
        """Decide by a pass without dropout whether answers are logits, for dropout can make them look otherwise."""
        if self._answers.form == "auto":
            self.logits(rows.clone())

    def probabilities_of_draws(self, answered: Iterable[tuple[object, int]], rows: int) -> Tensor:
        """Return what the module returned, each time of some draws, as probabilities, shape (N, T, C)."""
        draws = self._answers.checked_draws(answered, rows)
        logits = self._answers.logits(draws.flatten(0, 1))
        return logits.softmax(dim=-1).view(*draws.shape[:2], -1).transpose(0, 1)


@contextmanager
def unchanged(module: nn.Module) -> Iterator[None]:
    """Run in eval mode and outside inference mode; give back training flags and random state as they were."""
    # Part by part: train() on the whole would forget that some layers were frozen in eval mode.
    training = [part for part in module.modules() if part.training]
    state = torch.get_rng_state()
    for part in training:
        part.training = False
    try:
        # Tensors made in inference mode can never have gradients, and an adapter is used in both modes.
        with torch.inference_mode(False):
            yield
    finally:
        for part in training:
            part.training = True
        torch.set_rng_state(state)
