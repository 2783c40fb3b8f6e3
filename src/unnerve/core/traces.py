"""What the neurons of a model did on training data, input by input: what surprise is measured against."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.model import Instrumented, Want
from unnerve.core.profiles import finite_neurons

__all__ = ["Traces"]

T = TypeVar("T")
_ROWS = 1024


@dataclass(frozen=True, eq=False)
class Traces:
    """Neurons and answers on training data.

    Parameters
    ----------
    neurons : Tensor of shape (R, U)
    predicted : int64 Tensor of shape (R,)
        The model's answers.
    fitted : dict
        What scores have made of them, so that each is made once.
    """

    neurons: Tensor
    predicted: Tensor
    fitted: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def observed(cls, model: Instrumented, data: Examples) -> "Traces":
        """Watch the neurons over all of ``data``."""
        # One input is enough: the map depends on the shape of the inputs alone.
        neurons = model.neuron_map(data.batch(range(1)).inputs)
        values, answers = [], []
        for batch in data.batches(_ROWS):
            seen = model.observe(batch.inputs, Want.NEURONS)
            values.append(finite_neurons(seen, neurons).cpu())
            answers.append(seen.predicted.cpu())
        return cls(torch.cat(values), torch.cat(answers))

    def of(self, predicted: int, least: int = 1) -> Tensor:
        """Return the neurons, (M, U) in double precision, of inputs with this answer; raise if there are too few."""
        # Not by a mask: measured, that takes four times as long.
        found = self.neurons.index_select(0, (self.predicted == predicted).nonzero().flatten()).double()
        if len(found) < least:
            raise InvalidData(
                f"surprise needs >= {least} reference inputs that are answered as class {predicted}, got {len(found)}"
            )
        return found

    def fit(self, key: Any, made: Callable[[], T]) -> T:
        """Return what was fitted under this key, fitting it the first time."""
        if key not in self.fitted:
            self.fitted[key] = made()
        value: T = self.fitted[key]
        return value
