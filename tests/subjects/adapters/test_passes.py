import pytest
import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.torch_module import TorchModule


def test_padding_repeats_the_last_row() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert padded(x, 4).tolist() == [[1, 2], [3, 4], [3, 4], [3, 4]]
    assert padded(x, 2) is x
    assert padded(x, 1) is x


class Watching(nn.Module):
    """A network that remembers the strides of its feature maps and the rows of its batches."""

    def __init__(self, channels: int, maps: int) -> None:
        super().__init__()
        self.conv, self.dense = nn.Conv2d(channels, maps, 3, padding=1), nn.Linear(maps, 3)
        self.seen: list[tuple[int, int]] = []

    def forward(self, x: Tensor) -> Tensor:
        maps: Tensor = self.conv(x)
        self.seen.append((len(x), maps.stride(1)))
        logits: Tensor = self.dense(maps.mean(dim=(2, 3)))
        return logits


@pytest.mark.parametrize("channels", [1, 3])
def test_feature_maps_are_channels_last(channels: int) -> None:
    net, x = Watching(channels, 4), torch.rand(40, channels, 8, 8)
    model = TorchModule(net, outputs="logits")
    model.observe(x)
    assert net.seen[-1] == (40, 1)
    model.gradient(x, lambda seen, _: seen.logits[:, 1], torch.zeros(40))
    assert net.seen[-1] == (40, 1)


# 6 maps of 28x28 floats are 18,816 bytes: 223 rows of them fill 4 MiB. 12 maps: 111 rows; 9: 149 rows.
@pytest.mark.parametrize(("maps", "rows"), [(6, 256), (12, 128), (9, 128), (1, 256), (400, 32)])
def test_micro_batches_are_the_power_of_two_nearest_to_the_cache(maps: int, rows: int) -> None:
    net = Watching(1, maps)
    TorchModule(net, outputs="logits").observe(torch.rand(300, 1, 28, 28))
    assert max(size for size, _ in net.seen) == rows


class Rounding(Watching):
    """A network whose last bits depend on how many rows there are."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * (1 + 1e-6 * (len(x) > 100))


@pytest.mark.parametrize(("threads", "rows"), [(1, 256), (2, 64)])
def test_where_threads_share_sums_micro_batches_are_as_large_as_round_alike(threads: int, rows: int) -> None:
    net, before = Rounding(1, 6), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        TorchModule(net, outputs="logits").observe(torch.rand(300, 1, 28, 28))
    finally:
        torch.set_num_threads(before)
    assert net.seen[-2][0] == rows  # the last is the rest


class Viewing(nn.Module):
    """A network that calls ``view`` on a feature map, which channels-last inputs do not allow."""

    def __init__(self, channels: int, merge: bool) -> None:
        super().__init__()
        self.conv, self.dense, self.merge = nn.Conv2d(channels, 4, 3, padding=1), nn.Linear(64, 3), merge

    def forward(self, x: Tensor) -> Tensor:
        maps: Tensor = self.conv(x)
        if self.merge:
            maps = maps.view(len(x) * 4, 8, 8)[:, ::2, ::2].reshape(len(x), 4, 4, 4)
        else:
            maps = maps.view(len(x), -1).reshape(len(x), 4, 8, 8)[:, :, ::2, ::2]
        logits: Tensor = self.dense(maps.flatten(1))
        return logits


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_views_of_feature_maps_work(small_images: Tensor, merge: bool, channels: int, count: int) -> None:
    net, x = Viewing(channels, merge), small_images.repeat(1, channels, 1, 1)[:count]
    with torch.no_grad():
        assert torch.allclose(TorchModule(net, outputs="logits").observe(x).logits, net(x), atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_inputs_that_are_no_fractions_are_answered_with_several_threads(dtype: torch.dtype) -> None:
    class Counting(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.stack([x.sum(dim=1), x.sum(dim=1)], dim=1).float()

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        logits = TorchModule(Counting(), "counting", outputs="logits").observe(torch.ones(3, 5, dtype=dtype)).logits
    finally:
        torch.set_num_threads(before)
    assert logits.tolist() == [[5, 5]] * 3
