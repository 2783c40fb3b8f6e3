"""MobileNetV2 (Sandler et al., "MobileNetV2: Inverted residuals and linear bottlenecks", CVPR 2018)."""

from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.input_facts import IMAGENET_MEAN, IMAGENET_STD, InputFacts
from unnerve.subjects.zoo._counted import Add
from unnerve.subjects.zoo._same_padding import evened

__all__ = ["mobilenet_v2"]

_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""Factor by which a block widens, channels, blocks, stride of the first one (Table 2 of the paper)."""


def mobilenet_v2(padding: str = "tensorflow", size: int = 224, classes: int = 1000) -> nn.Module:
    """Seventeen inverted residual blocks: 3,504,872 trainable parameters; layers named as in torchvision.

    Takes (N, 3, H, W), returns logits (N, classes). A folder of images is resized to ``size`` by itself.

    Parameters
    ----------
    padding : str
        How 3x3 convolutions of stride 2 pad: ``tensorflow`` below and on the right, with values in [-1, 1]; or
        ``symmetric`` on all sides, with the mean and deviation of ImageNet, as weights of torchvision expect it.
    size : int
        Side of the images in pixels; the weights do not depend on it.
    classes : int

    References
    ----------
    Sandler et al., "MobileNetV2: Inverted residuals and linear bottlenecks", 2018.
    """
    if padding not in ("tensorflow", "symmetric"):
        raise InvalidSetting(f"mobilenet_v2: padding must be tensorflow or symmetric, got '{padding}'")
    return _MobileNetV2(padding == "symmetric", size, classes).eval()


class _MobileNetV2(nn.Module):
    def __init__(self, symmetric: bool, size: int, classes: int) -> None:
        super().__init__()
        means, deviations = (IMAGENET_MEAN, IMAGENET_STD) if symmetric else ((0.5,), (0.5,))
        self.input_facts = InputFacts(mean=means, std=deviations, size=size)
        parts: list[nn.Module] = [_unit(3, 32, 3, 2, 1, symmetric)]
        before = 32
        for factor, after, blocks, stride in _STAGES:
            for block in range(blocks):
                parts.append(_Block(before, after, stride if block == 0 else 1, factor, symmetric))
                before = after
        self.features = nn.Sequential(*parts, _unit(before, 1280, 1, 1, 1, symmetric))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        logits: Tensor = self.classifier(self.flatten(self.pool(self.features(x))))
        return logits


class _Block(nn.Module):
    """Widen by a 1x1 convolution, filter each channel, narrow without activation; add the input where sizes allow."""

    def __init__(self, inside: int, outside: int, stride: int, factor: int, symmetric: bool) -> None:
        super().__init__()
        wide = inside * factor
        widening = [] if factor == 1 else [_unit(inside, wide, 1, 1, 1, symmetric)]
        filtering = _unit(wide, wide, 3, stride, wide, symmetric)
        self.conv = nn.Sequential(
            *widening, filtering, nn.Conv2d(wide, outside, 1, bias=False), nn.BatchNorm2d(outside)
        )
        self.add = Add() if stride == 1 and inside == outside else None

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.conv(x)
        return result if self.add is None else self.add(result, x)


class _Unit(nn.Sequential):
    """A convolution, its batch norm and ReLU6; padded below and on the right only, where that is asked for."""

    def __init__(self, *parts: nn.Module, uneven: bool) -> None:
        super().__init__(*parts)
        self.uneven = uneven

    def forward(self, x: Tensor) -> Tensor:
        x = evened(x) if self.uneven else x
        for part in self:
            x = part(x)
        return x


def _unit(inside: int, outside: int, kernel: int, stride: int, groups: int, symmetric: bool) -> _Unit:
    uneven = stride == 2 and not symmetric
    around = 0 if uneven else kernel // 2
    convolution = nn.Conv2d(inside, outside, kernel, stride, around, groups=groups, bias=False)
    return _Unit(convolution, nn.BatchNorm2d(outside), nn.ReLU6(), uneven=uneven)
