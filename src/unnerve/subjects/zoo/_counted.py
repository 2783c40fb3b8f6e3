"""Networks that say which of their layers count, as their papers count neurons."""

from collections import OrderedDict

from torch import nn

__all__ = ["Counted"]


class Counted(nn.Sequential):
    """Layers one after the other, some of which count.

    Parameters
    ----------
    layers : ordered dict of str to nn.Module
    neuron_layers : tuple of str
        Names of the layers whose neurons count, in calling order. ``conv1+relu1`` is one layer, read after its
        ReLU; ``softmax`` stands for the probabilities.
    neuron_filter : str
        The filter with which the paper counts.
    """

    def __init__(
        self,
        layers: "OrderedDict[str, nn.Module]",
        neuron_layers: tuple[str, ...],
        neuron_filter: str = "deepxplore",
    ) -> None:
        super().__init__(layers)
        self.neuron_layers = neuron_layers
        self.neuron_filter = neuron_filter
