"""Networks that say which of their layers count, as their papers count neurons."""

from collections import OrderedDict

from torch import Tensor, nn

__all__ = ["Add", "Counted", "layer_names"]


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


class Add(nn.Module):
    """The sum of a block and its shortcut: a layer of its own, so that it can be watched."""

    def forward(self, x: Tensor, shortcut: Tensor) -> Tensor:
        """Return the sum."""
        return x + shortcut


def layer_names(module: nn.Module) -> tuple[str, ...]:
    """Return the names of a network's layers but Flatten, in the order in which they were made."""
    parts = module.named_modules()
    return tuple(name for name, part in parts if not isinstance(part, nn.Flatten) and not list(part.children()))
