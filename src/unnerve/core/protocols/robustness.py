"""What a measure of robustness looks like: how far each input is from another answer."""

from typing import Any, Protocol

from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.model import Capability

__all__ = ["DetailedScores", "RobustnessMeasure"]


class DetailedScores(Protocol):
    """Scores of N inputs with what is known of each: one value per input, (N,)."""

    @property
    def score(self) -> Tensor:
        """Within that distance the answer does not change; NaN where there is no score."""
        ...

    @property
    def error(self) -> Tensor:
        """Standard errors of the scores."""
        ...

    @property
    def target(self) -> Tensor:
        """The class that is reached first, int64."""
        ...

    @property
    def predicted(self) -> Tensor:
        """The model's answers, int64."""
        ...

    @property
    def fit(self) -> Tensor:
        """How well the law behind each score fits, as a p-value."""
        ...


class RobustnessMeasure(Protocol):
    """A measure of how far inputs may be changed before their answers change."""

    @property
    def needs(self) -> Capability:
        """What it asks of a model."""
        ...

    @property
    def norm(self) -> str:
        """Of the distances: ``l1``, ``l2``, ``linf``, or another word."""
        ...

    @property
    def radius(self) -> float:
        """The largest score there can be: how far it looks."""
        ...

    def scores(self, model: Any, batch: Batch, value_range: tuple[float, float]) -> Tensor | DetailedScores:
        """Return the scores of N inputs, (N,) in ``[0, radius]``, NaN for none; or these with their details."""
        ...
