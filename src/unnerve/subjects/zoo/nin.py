"""Network in network for small images, as KuK uses it (Lin et al., ICLR 2014)."""

from collections import OrderedDict

from torch import nn

from unnerve.subjects.zoo._counted import Counted, layer_names

__all__ = ["nin"]

_STAGES = (((192, 5), (160, 1), (96, 1)), ((192, 5), (192, 1), (192, 1)), ((192, 3), (192, 1)))


def nin(channels: int = 3, classes: int = 10) -> nn.Module:
    """Nine convolutions, no dense layer; the mean of the last maps is the answer: 966,986 parameters, 1,418 neurons.

    Takes (N, channels, H, W), usually 3x32x32, returns logits (N, classes). The neurons are those of the
    convolutions alone.

    References
    ----------
    Lin et al., "Network in network", 2014.
    """
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    before, number = channels, 0
    for stage, convolutions in enumerate((*_STAGES[:2], (*_STAGES[2], (classes, 1))), start=1):
        for width, kernel in convolutions:
            number += 1
            layers[f"conv{number}"] = nn.Conv2d(before, width, kernel, padding=kernel // 2)
            if number < 9:
                # Differs: no ReLU after the last one; without batch norm all of its maps may die, and did.
                layers[f"relu{number}"] = nn.ReLU()
            before = width
        if stage < 3:
            # Rounding up pads below and on the right, as Keras's "same" does.
            layers[f"pool{stage}"] = nn.MaxPool2d(3, stride=2, ceil_mode=True)
            layers[f"dropout{stage}"] = nn.Dropout(0.5)
    layers["pool3"] = nn.AdaptiveAvgPool2d(1)
    layers["flatten"] = nn.Flatten()
    for layer in layers.values():
        if isinstance(layer, nn.Conv2d):
            # torch's own start lets values fade through nine layers without batch norm: the network does not learn.
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return Counted(layers, (*layer_names(nn.Sequential(layers)), "softmax"), neuron_filter="conv_dense").eval()
