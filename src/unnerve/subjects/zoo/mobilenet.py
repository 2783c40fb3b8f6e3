"""MobileNet (Howard et al., "MobileNets", 2017)."""

from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.input_facts import InputFacts
from unnerve.subjects.zoo._counted import layer_names
from unnerve.subjects.zoo._same_padding import evened

__all__ = ["mobilenet"]

_PAIRS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))
"""Width and stride of the thirteen pairs of depthwise and pointwise convolutions."""


def mobilenet(
    width: float = 1.0, folded: bool = False, size: int = 224, channels: int = 3, classes: int = 1000
) -> nn.Module:
    """Thirteen pairs of depthwise and pointwise convolutions: 4,231,976 trainable parameters, 38,904 neurons.

    Takes (N, channels, H, W), usually 3x224x224, returns logits (N, classes). It states that its values are brought to
    [-1, 1] and that folders of images are resized to ``size``.

    Parameters
    ----------
    width : float
        Factor of all widths, > 0: 1.0, 0.75, 0.5, 0.25.
    folded : bool
        Without batch norm, which was folded into biases of the convolutions, as in quantised models.
    size : int
        Side of the images in pixels, e.g. 128; the weights do not depend on it.
    channels, classes : int

    References
    ----------
    Howard et al., "MobileNets: Efficient convolutional neural networks for mobile vision applications", 2017.
    """
    if not width * 32 >= 1:
        raise InvalidSetting(f"mobilenet: width must be >= 1/32, got {width}")
    return _MobileNet(width, folded, size, channels, classes).eval()


class _MobileNet(nn.Module):
    def __init__(self, width: float, folded: bool, size: int, channels: int, classes: int) -> None:
        super().__init__()
        self.input_facts = InputFacts(mean=(0.5,), std=(0.5,), size=size)
        before = int(32 * width)
        units = [_Unit(channels, before, 3, 2, 1, folded)]
        for wide, stride in _PAIRS:
            after = int(wide * width)
            units += [_Unit(before, before, 3, stride, before, folded), _Unit(before, after, 1, 1, 1, folded)]
            before = after
        self.features = nn.Sequential(*units)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(1e-3)
        self.classifier = nn.Linear(before, classes)
        self.reshape = nn.Identity()
        # Keras reshapes before and after its last convolution, and both reshapings count. It reshapes after the
        # softmax; here, where the answer is logits, before it.
        last = ("pool", "flatten", "dropout", "classifier", "reshape", "softmax")
        self.neuron_layers = (*(name for name in layer_names(self) if name.startswith("features.")), *last)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        x = self.dropout(self.flatten(self.pool(self.features(x))))
        logits: Tensor = self.reshape(self.classifier(x))
        return logits


class _Unit(nn.Module):
    """A convolution, its batch norm unless that is folded, and ReLU6."""

    def __init__(self, inside: int, outside: int, kernel: int, stride: int, groups: int, folded: bool) -> None:
        super().__init__()
        self.halves = stride == 2
        around = 0 if self.halves else kernel // 2
        self.conv = nn.Conv2d(inside, outside, kernel, stride, around, groups=groups, bias=folded)
        self.bn: nn.Module | None = None if folded else nn.BatchNorm2d(outside, eps=1e-3)
        self.relu = nn.ReLU6()

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(evened(x) if self.halves else x)
        result: Tensor = self.relu(x if self.bn is None else self.bn(x))
        return result
