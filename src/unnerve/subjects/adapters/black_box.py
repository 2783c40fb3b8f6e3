"""A plain function from arrays to probabilities as a model under test."""

import hashlib
from collections.abc import Callable
from copy import copy

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.conversion import conversion
from unnerve.core.data.features import Features
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import FROM_OUTSIDE, InvalidData, InvalidModel, UserError, raised
from unnerve.core.model import Capability, Observation, Want
from unnerve.core.progress import show_work
from unnerve.subjects.adapters._identity import probes
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters.estimator import Estimator
from unnerve.subjects.adapters.normalised import NormalisedFunction, check_stated
from unnerve.subjects.declaration import Declaration

__all__ = ["BATCH", "BlackBox"]

BATCH = 256
"""Rows per call, where nothing else is said."""


class BlackBox:
    """A classifier of which only the answers are known.

    Parameters
    ----------
    function : callable
        From a float32 array (N, ...) to probabilities (or logits), shape (N, C).
    name : str
        Shown in reports.
    outputs : str
        ``logits``, ``probabilities``, or ``auto``: decided by the first answer.
    batch : int
        Most rows per call.
    """

    offers = Capability.ANSWERS
    declared = Declaration()
    """What the model's form knows about it."""

    expects: ValueRange | None = None
    """The range of the values that it was made for; None for whatever the data hold."""

    def __init__(
        self,
        function: Callable[[np.ndarray], object],
        name: str | None = None,
        outputs: str = "auto",
        batch: int = BATCH,
    ) -> None:
        self.function = function
        self.name: str = name or getattr(function, "__name__", "") or type(function).__name__
        self.batch = batch
        self._answers = Answers(self.name, outputs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Ask for the answers to ``x``, see :class:`unnerve.core.model.Classifier`."""
        if Want.NEURONS in want:
            raise InvalidModel(f"{self.name} is a black box: its neurons cannot be watched; give an nn.Module")
        if len(x) == 0:
            raise InvalidData(f"{self.name}: a pass needs at least one input")
        return Observation(torch.cat([self._logits(rows) for rows in x.split(self.batch)]))

    def taking(self, held: ValueRange) -> "BlackBox":
        """Return the same model for data of this range, see :class:`unnerve.core.data.ranges.Ranged`."""
        if held == (self.expects or UNIT):
            return self
        other = copy(self)
        if self.expects is None:
            check_stated(self.function, held)
        else:
            offset, factor = conversion(held, self.expects)
            other.function = NormalisedFunction(self.function, [offset], [factor])
        other.expects = held
        return other

    def for_table(self, features: Features) -> "BlackBox":
        """Return the same model for rows with these columns."""
        if not isinstance(self.function, Estimator):
            return self
        other = copy(self)
        other.function = self.function.for_table(features)
        return other

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash of the answers to fixed probe inputs: a function has no weights to look at."""
        answers = self.observe(probes(shape, self.expects or UNIT)).logits.softmax(dim=-1)
        return hashlib.blake2b(answers.numpy().round(4).tobytes(), digest_size=16).hexdigest()

    def _logits(self, rows: Tensor) -> Tensor:
        try:
            answer = self.function(rows.detach().cpu().numpy().copy())
        except (UserError, *FROM_OUTSIDE):  # says what is wrong already, or is nothing of the model's
            raise
        except BaseException as problem:
            raise InvalidModel(f"{self.name} raised {raised(problem)}") from problem
        show_work()
        return self._answers.logits(self._answers.checked(answer, rows.shape[0])).detach()
