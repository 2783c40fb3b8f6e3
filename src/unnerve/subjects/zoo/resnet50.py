"""ResNet-50 as Keras has it (He et al., "Deep residual learning for image recognition", CVPR 2016)."""

from torch import Tensor, nn

from unnerve.subjects.zoo._counted import Add, layer_names

__all__ = ["resnet50"]

_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Width, number of blocks and stride of each stage."""


def resnet50(channels: int = 3, classes: int = 1000) -> nn.Module:
    """Sixteen blocks of three convolutions: 25,583,592 trainable parameters, 94,059 neurons.

    Takes (N, channels, H, W), usually 3x224x224, returns logits (N, classes). The neurons include those of the zero
    padding of the image, as the papers count.

    References
    ----------
    He et al., "Deep residual learning for image recognition", 2016.
    """
    return _ResNet(channels, classes).eval()


class _ResNet(nn.Module):
    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.padding = nn.ZeroPad2d(3)
        self.conv1 = nn.Conv2d(channels, 64, 7, stride=2)
        self.bn1 = nn.BatchNorm2d(64, eps=1e-3)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(3, stride=2)
        stages, before = [], 64
        for width, blocks, stride in _STAGES:
            later = (_Block(4 * width, width, 1, widen=False) for _ in range(blocks - 1))
            stages.append(nn.Sequential(_Block(before, width, stride, widen=True), *later))
            before = 4 * width
        self.layers = nn.Sequential(*stages)
        self.pool2 = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.linear = nn.Linear(before, classes)
        # Keras's last layer holds its softmax, so that the two count once.
        self.neuron_layers = (*layer_names(self)[:-1], "linear+softmax")

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        x = self.pool1(self.relu1(self.bn1(self.conv1(self.padding(x)))))
        logits: Tensor = self.linear(self.flatten(self.pool2(self.layers(x))))
        return logits


class _Block(nn.Module):
    def __init__(self, inside: int, width: int, stride: int, *, widen: bool) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, stride), nn.BatchNorm2d(width, eps=1e-3)
        self.relu1 = nn.ReLU()
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width, eps=1e-3)
        self.relu2 = nn.ReLU()
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1), nn.BatchNorm2d(4 * width, eps=1e-3)
        self.shortcut: nn.Module | None = None
        if widen:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, 4 * width, 1, stride), nn.BatchNorm2d(4 * width, eps=1e-3))
        self.add = Add()
        self.relu3 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu2(self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x))))))
        around = x if self.shortcut is None else self.shortcut(x)
        result: Tensor = self.relu3(self.add(self.bn3(self.conv3(out)), around))
        return result
