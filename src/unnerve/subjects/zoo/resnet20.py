"""ResNet-20 for small images (He et al., "Deep residual learning for image recognition", CVPR 2016)."""

from torch import Tensor, nn
from torch.nn.functional import pad

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.input_facts import IMAGENET_MEAN, IMAGENET_STD, InputFacts
from unnerve.subjects.zoo._counted import Add, layer_names

__all__ = ["resnet20"]

_DEEPEST = 1202  # of the paper
_WIDTHS = (16, 32, 64)


def resnet20(shortcut: str = "convolution", depth: int = 20, channels: int = 3, classes: int = 10) -> nn.Module:
    """Three stages of three blocks of two 3x3 convolutions: 273,066 trainable parameters, 1,882 neurons.

    Takes (N, channels, H, W), usually 3x32x32, returns logits (N, classes). DeepSensor counts its neurons without
    activations; with them it has 2,570, as KuK prints.

    Parameters
    ----------
    shortcut : str
        What leads around a block that halves the image: a 1x1 ``convolution`` (Keras's example, the papers' network),
        or ``padding`` with empty channels (option A of the paper: 269,722 parameters, 1,786 neurons, no biases; images
        in colour are normalised by ImageNet's mean and deviation, as its weights expect).
    depth : int
        6n + 2: 20, 32, 44 ...
    channels, classes : int

    References
    ----------
    He et al., "Deep residual learning for image recognition", 2016.
    """
    if shortcut not in ("convolution", "padding"):
        raise InvalidSetting(f"resnet20: shortcut must be convolution or padding, got '{shortcut}'")
    if not 8 <= depth <= _DEEPEST or (depth - 2) % 6:
        raise InvalidSetting(f"resnet20: depth must be 6n + 2, from 8 to {_DEEPEST:,}, got {depth}")
    return _ResNet(shortcut == "padding", (depth - 2) // 6, channels, classes).eval()


class _ResNet(nn.Module):
    """The whole network; layers are named as in the weights that circulate for option A."""

    neuron_filter = "no_activation"

    def __init__(self, padding: bool, blocks: int, channels: int, classes: int) -> None:
        super().__init__()
        if padding and channels == 3:  # as the weights that circulate were trained, though on CIFAR-10
            self.input_facts = InputFacts(mean=IMAGENET_MEAN, std=IMAGENET_STD)
        self.conv1, self.bn1 = _convolution(channels, _WIDTHS[0], 1, padding)
        self.relu1 = nn.ReLU()
        self.layer1 = _stage(_WIDTHS[0], _WIDTHS[0], blocks, padding)
        self.layer2 = _stage(_WIDTHS[0], _WIDTHS[1], blocks, padding)
        self.layer3 = _stage(_WIDTHS[1], _WIDTHS[2], blocks, padding)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.linear = nn.Linear(_WIDTHS[2], classes)
        # Keras's last layer holds its softmax, so that the two count once.
        self.neuron_layers = (*layer_names(self)[:-1], "linear+softmax")

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        x = self.relu1(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        logits: Tensor = self.linear(self.flatten(self.pool(x)))
        return logits


class _Block(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int, padding: bool) -> None:
        super().__init__()
        self.conv1, self.bn1 = _convolution(inside, outside, stride, padding)
        self.relu1 = nn.ReLU()
        self.conv2, self.bn2 = _convolution(outside, outside, 1, padding)
        self.widening, self.stride = outside - inside, stride
        if self.widening and not padding:
            self.shortcut: nn.Module | None = nn.Conv2d(inside, outside, 1, stride)
        else:
            self.shortcut = None
        self.add = Add()
        self.relu2 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        result: Tensor = self.relu2(self.add(out, self._around(x)))
        return result

    def _around(self, x: Tensor) -> Tensor:
        if self.shortcut is not None:
            narrowed: Tensor = self.shortcut(x)
            return narrowed
        half = self.widening // 2
        return pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, half, half)) if half else x


def _stage(inside: int, outside: int, blocks: int, padding: bool) -> nn.Sequential:
    first = _Block(inside, outside, 1 if inside == outside else 2, padding)
    return nn.Sequential(first, *(_Block(outside, outside, 1, padding) for _ in range(blocks - 1)))


def _convolution(inside: int, outside: int, stride: int, padding: bool) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """Return a 3x3 convolution and its batch norm, each as in the variant's own code."""
    conv = nn.Conv2d(inside, outside, 3, stride, padding=1, bias=not padding)
    return conv, nn.BatchNorm2d(outside, eps=1e-5 if padding else 1e-3)
