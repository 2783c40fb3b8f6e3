"""The weights with which neurons take what comes before them."""

import torch
from torch import Tensor, nn

from unnerve.core.neurons import Layer, NeuronMap
from unnerve.subjects.adapters._layers import inner

__all__ = ["incoming_weights"]


def incoming_weights(module: nn.Module, neurons: NeuronMap) -> Tensor:
    """Return each neuron's mean incoming weight, (U,); NaN for neurons of layers without weights, such as poolings."""
    return torch.cat([_layer_weights(inner(module), layer) for layer in neurons.layers])


def _layer_weights(module: nn.Module, layer: Layer) -> Tensor:
    # A layer that counts together with its activation is called by both names: conv1+relu1.
    for name in layer.name.split("+"):
        try:
            weight = getattr(module.get_submodule(name), "weight", None)
        except AttributeError:
            continue
        if isinstance(weight, Tensor) and weight.ndim >= 2 and len(weight) == layer.count:
            return weight.detach().flatten(1).mean(dim=1).float().cpu()
    return torch.full((layer.count,), float("nan"))
