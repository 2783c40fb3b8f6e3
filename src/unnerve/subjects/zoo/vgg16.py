"""VGG16 for small images, with batch norm, as DeepSensor uses it (Simonyan and Zisserman, ICLR 2015)."""

from collections import OrderedDict

from torch import nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.zoo._counted import Counted, layer_names

__all__ = ["vgg16"]

_STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
_DENSE = 4096


def vgg16(channels: int = 3, size: int = 32, classes: int = 10, width: float = 1.0) -> nn.Module:
    """Thirteen 3x3 convolutions, three dense layers, batch norm after each: 33,663,070 trainable parameters.

    Takes (N, channels, size, size), returns logits (N, classes). Its 12,426 neurons are those of convolutions and
    dense layers alone. With ``width`` 0.25 every layer but the last has a quarter of them: 3,114 neurons and 2,118,958
    parameters, which a processor can train.

    Parameters
    ----------
    channels, size, classes : int
        Of the images, which are ``size`` pixels high and wide.
    width : float
        Factor of all widths, >= 1/64.

    References
    ----------
    Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition", 2015.
    """
    if not width * 64 >= 1:
        raise InvalidSetting(f"vgg16: width must be >= 1/64, got {width}")
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    before = channels
    for stage, (usual, convolutions) in enumerate(_STAGES, start=1):
        wide = int(usual * width)
        for place in range(1, convolutions + 1):
            layers[f"conv{stage}_{place}"] = nn.Conv2d(before, wide, 3, padding=1)
            layers[f"bn{stage}_{place}"] = nn.BatchNorm2d(wide)
            layers[f"relu{stage}_{place}"] = nn.ReLU()
            before = wide
        layers[f"pool{stage}"] = nn.MaxPool2d(2)
    layers["flatten"] = nn.Flatten()
    dense, before = int(_DENSE * width), before * (size // 32) ** 2
    for place in (1, 2):
        layers[f"fc{place}"] = nn.Linear(before, dense)
        layers[f"bn6_{place}"] = nn.BatchNorm1d(dense)
        layers[f"relu6_{place}"] = nn.ReLU()
        layers[f"dropout{place}"] = nn.Dropout(0.5)
        before = dense
    layers["fc3"] = nn.Linear(dense, classes)
    layers["bn6_3"] = nn.BatchNorm1d(classes)
    return Counted(layers, (*layer_names(nn.Sequential(layers)), "softmax"), neuron_filter="conv_dense").eval()
