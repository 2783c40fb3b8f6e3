"""Monte-Carlo dropout over any number of inputs."""

from torch import Tensor

from unnerve.core.masks import Masks
from unnerve.subjects.adapters._micro_batches import MicroBatches
from unnerve.subjects.adapters._module_calls import ModuleCalls
from unnerve.subjects.adapters.dropout._dropout_points import DropoutPoint
from unnerve.subjects.adapters.dropout._sampling import Sampling
from unnerve.subjects.adapters.dropout.settings import Dropout

__all__ = ["MonteCarloDropout"]


class MonteCarloDropout:
    """Draws of a module under dropout.

    Parameters
    ----------
    calls : ModuleCalls
    batches : MicroBatches
    dropout : Dropout
    """

    def __init__(self, calls: ModuleCalls, batches: MicroBatches, dropout: Dropout) -> None:
        self._calls, self._batches, self._dropout = calls, batches, dropout
        self._samplings: dict[tuple[int, ...], Sampling] = {}

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Return probabilities under masks, shape (T, N, C), see :class:`unnerve.core.model.Stochastic`."""
        _check(x, masks)

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            self._calls.settle_form(rows)
            answered = self._sampling(x).answers(rows, masks[real], self._batches.tuning(x).overwrites)
            return (self._calls.probabilities_of_draws(answered, len(rows))[:, : masks.draws],)

        return self._batches.run(x, work)[0].transpose(0, 1)

    def observed(self, x: Tensor, masks: Masks) -> tuple[Tensor, Tensor]:
        """Return the logits without dropout, (N, C), and probabilities under masks, (T, N, C)."""
        _check(x, masks)

        def work(rows: Tensor, real: slice) -> tuple[Tensor, ...]:
            self._calls.settle_form(rows)
            sampling, overwrites = self._sampling(x), self._batches.tuning(x).overwrites
            shared = sampling.shares_answer
            whole = None if shared else self._calls.output(rows.clone())
            answered = sampling.answers(rows, masks[real], overwrites, whole_first=shared)
            whole = next(answered).output if shared else whole
            probabilities = self._calls.probabilities_of_draws(answered, len(rows))[:, : masks.draws]
            return self._calls.logits_of(whole, len(rows)), probabilities

        logits, draws = self._batches.run(x, work)
        return logits, draws.transpose(0, 1)

    def logits(self, rows: Tensor, masks: Masks, x: Tensor) -> Tensor:
        """Return the logits of a micro-batch of ``x``, each row under one mask of its own: (N, C), differentiable."""
        self._calls.settle_form(rows.detach())
        answered = list(self._sampling(x).answers(rows, masks, self._batches.tuning(x).overwrites))
        return self._calls.logits_of(answered[0].output, rows.shape[0])

    def points(self, x: Tensor) -> tuple[DropoutPoint, ...]:
        """Return where dropout is put into the module for inputs like ``x``; nothing if its own is used."""
        return self._sampling(x).points

    def _sampling(self, x: Tensor) -> Sampling:
        # For one shape only: with another, the module may take another way, and call dropout elsewhere.
        shape = tuple(x.shape[1:])
        if shape not in self._samplings:
            first = self._batches.tuning(x).arranged(self._batches.few_rows(x.detach()))
            self._samplings[shape] = Sampling(
                self._calls.module, self._calls.name, self._dropout, self._calls.output, first
            )
        return self._samplings[shape]


def _check(x: Tensor, masks: Masks) -> None:
    if len(masks) != len(x):
        raise RuntimeError(f"masks must be those of the inputs, got masks of {len(masks)} for {len(x)} inputs")
