"""ResNet-34 that listens (He et al., "Deep residual learning for image recognition", CVPR 2016)."""

from torch import Tensor, nn

from unnerve.subjects.sounds.mel import LogMel
from unnerve.subjects.zoo._counted import Add, layer_names
from unnerve.subjects.zoo._listening import RATE, ClipMean, heard, listening

__all__ = ["resnet34"]

_STAGES = ((1, 3, 1), (2, 4, 2), (4, 6, 2), (8, 3, 2))
"""Width in widths of the first stage, number of blocks, and stride of each stage."""


def resnet34(width: int = 64, bands: int = 64, classes: int = 30) -> nn.Module:
    """Sixteen blocks of two 3x3 convolutions on log-mel features: 36,254 neurons.

    Takes waveforms (N, L) in [-1, 1] at 16 kHz, or features (N, 1, bands, frames); returns logits (N, classes). With
    its settings as they are it has the 158 layers and 36,254 neurons that DeepSensor prints (zero padding before each
    convolution of a block is a layer, and the first block of every stage has a convolution around it), and its
    21,315,166 parameters if the running means and variances of batch norms are counted, as the paper does.

    Parameters
    ----------
    width : int
        Channels of the first stage; two cores train ``width=8`` in minutes.
    bands : int
        Mel bands.
    classes : int

    References
    ----------
    He et al., "Deep residual learning for image recognition", 2016.
    """
    return _ResNet34(width, bands, classes).eval()


class _ResNet34(nn.Module):
    def __init__(self, width: int, bands: int, classes: int) -> None:
        super().__init__()
        self.input_facts = listening()
        self.conv1 = nn.Conv2d(1, width, 7, stride=2, padding=3, bias=False)
        self.bn1, self.relu1 = nn.BatchNorm2d(width), nn.ReLU()
        self.pool1 = nn.MaxPool2d(3, stride=2, padding=1)
        stages, before = [], width
        for factor, blocks, stride in _STAGES:
            after = factor * width
            later = (_Block(after, after, 1, around=False) for _ in range(blocks - 1))
            stages.append(nn.Sequential(_Block(before, after, stride, around=True), *later))
            before = after
        self.stages = nn.Sequential(*stages)
        self.mean = ClipMean()
        self.linear = nn.Linear(before, classes)
        # Keras's last layer holds its softmax, so that the two count once.
        self.neuron_layers = (*layer_names(self)[:-1], "linear+softmax")
        self.front = LogMel(RATE, bands)  # after the layers that count

    def forward(self, x: Tensor) -> Tensor:
        """Return logits."""
        features = heard(self.front, x)
        maps = self.stages(self.pool1(self.relu1(self.bn1(self.conv1(features)))))
        # The mean over bands first, then that over the clip: together the global mean of He et al., without padding.
        logits: Tensor = self.linear(self.mean(maps.mean(dim=2).transpose(1, 2), features))
        return logits


class _Block(nn.Module):
    def __init__(self, inside: int, width: int, stride: int, *, around: bool) -> None:
        super().__init__()
        self.pad1, self.conv1 = nn.ZeroPad2d(1), nn.Conv2d(inside, width, 3, stride, bias=False)
        self.bn1, self.relu1 = nn.BatchNorm2d(width), nn.ReLU()
        self.pad2, self.conv2 = nn.ZeroPad2d(1), nn.Conv2d(width, width, 3, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut: nn.Module | None = None
        if around:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, width, 1, stride, bias=False), nn.BatchNorm2d(width))
        self.add, self.relu2 = Add(), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.pad2(self.relu1(self.bn1(self.conv1(self.pad1(x)))))))
        result: Tensor = self.relu2(self.add(out, x if self.shortcut is None else self.shortcut(x)))
        return result
