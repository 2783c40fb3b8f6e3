"""What the neurons of a model usually do: what a changed input's effect on them is measured by."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Instrumented, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import finite_neurons

__all__ = ["Reference"]

_ROWS = 256


@dataclass(frozen=True, eq=False)
class Reference:
    """How much each neuron varies over some data; a small value, so that it travels with every part of a campaign.

    Parameters
    ----------
    neurons : NeuronMap
        Which neurons were watched.
    spread : Tensor of shape (U,)
        Standard deviation of each neuron's value, >= 0; zero for one that never moved.
    inputs : int
        How many inputs were seen.
    """

    neurons: NeuronMap
    spread: Tensor
    inputs: int

    @classmethod
    def observed(cls, model: Instrumented, data: Examples) -> "Reference":
        """Watch the neurons over all of ``data``, in one pass; nothing is charged."""
        neurons = model.neuron_map(data.batch(range(1)).inputs)
        mean, squares = (torch.zeros(len(neurons), dtype=torch.float64) for _ in range(2))
        count = 0
        for batch in data.batches(_ROWS):
            values = finite_neurons(model.observe(batch.inputs, Want.NEURONS), neurons).double()
            own, total = values.mean(dim=0), count + len(values)
            # Joining parts by their means (Chan et al., 1979): a sum of squares alone would lose small spreads.
            squares += (values - own).square().sum(dim=0) + (own - mean).square() * (count * len(values) / total)
            mean += (own - mean) * (len(values) / total)
            count = total
        return cls(neurons, (squares / count).sqrt().float(), count)

    def check(self, neurons: NeuronMap) -> None:
        """Raise unless these are the neurons that were watched."""
        if self.neurons != neurons:
            raise InvalidSetting(
                f"the reference is of other neurons: {len(self.neurons)} chosen by '{self.neurons.chosen_by}', "
                f"not {len(neurons)} chosen by '{neurons.chosen_by}'"
            )
