"""VGG16 for small images, with batch norm, as DeepSensor uses it (Simonyan and Zisserman, ICLR 2015)."""

from collections import OrderedDict

from torch import nn

from unnerve.subjects.zoo._counted import Counted, layer_names

__all__ = ["vgg16"]

_STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))


def vgg16(channels: int = 3, size: int = 32, classes: int = 10) -> nn.Module:
    """Thirteen 3x3 convolutions, three dense layers, batch norm after each: 33,663,070 trainable parameters.

    Takes (N, channels, size, size), returns logits (N, classes). Its 12,426 neurons are those of convolutions and
    dense layers alone.

    References
    ----------
    Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition", 2015.
    """
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    before = channels
    for stage, (width, convolutions) in enumerate(_STAGES, start=1):
        for place in range(1, convolutions + 1):
            layers[f"conv{stage}_{place}"] = nn.Conv2d(before, width, 3, padding=1)
            layers[f"bn{stage}_{place}"] = nn.BatchNorm2d(width)
            layers[f"relu{stage}_{place}"] = nn.ReLU()
            before = width
        layers[f"pool{stage}"] = nn.MaxPool2d(2)
    layers["flatten"] = nn.Flatten()
    for place, width in ((1, 4096), (2, 4096)):
        layers[f"fc{place}"] = nn.Linear(512 * (size // 32) ** 2 if place == 1 else 4096, width)
        layers[f"bn6_{place}"] = nn.BatchNorm1d(width)
        layers[f"relu6_{place}"] = nn.ReLU()
        layers[f"dropout{place}"] = nn.Dropout(0.5)
    layers["fc3"] = nn.Linear(4096, classes)
    layers["bn6_3"] = nn.BatchNorm1d(classes)
    return Counted(layers, (*layer_names(nn.Sequential(layers)), "softmax"), neuron_filter="conv_dense").eval()
