import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Want
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


class Greedy(nn.Module):
    """A module that runs out of memory above some rows, and remembers the sizes that it could do."""

    def __init__(self, most: int, problem: Exception) -> None:
        super().__init__()
        self.most, self.problem = most, problem
        self.sizes: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > self.most:
            raise self.problem
        self.sizes.append(len(x))
        return x.flatten(1)[:, :3] - 0.5


ALLOCATOR = RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")


@pytest.mark.parametrize("problem", [ALLOCATOR, torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
@pytest.mark.parametrize("most", [2, 20, 50, 100])
def test_halves_the_micro_batch_when_memory_runs_out(small_images: Tensor, most: int, problem: Exception) -> None:
    net, x = Greedy(most, problem), small_images.repeat(4, 1, 1, 1)
    model = TorchModule(net)
    expected = x.flatten(1)[:, :3] - 0.5
    assert torch.equal(model.observe(x).logits, expected)
    assert max(net.sizes) == {2: 2, 20: 16, 50: 32, 100: 64}[most]
    net.sizes.clear()
    values, gradients, _ = model.gradient(x, lambda seen, _: seen.logits[:, 1], torch.zeros(160))
    assert torch.equal(values, expected[:, 1])
    assert torch.equal(gradients.flatten(1), torch.eye(64)[1].expand(160, 64))
    assert min(net.sizes) >= 2


def test_neurons_are_watched_again_after_memory_ran_out(small_images: Tensor) -> None:
    net, x = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), nn.ReLU(), Greedy(20, ALLOCATOR)), small_images
    with torch.no_grad():
        hidden = net[:3](x)
    model = TorchModule(net, outputs="logits", neurons="2")
    assert torch.allclose(model.observe(x, Want.RANGES).neurons, hidden, atol=1e-6)
    _, _, seen = model.gradient(x, lambda seen, _: seen.neurons.sum(dim=1), torch.zeros(40), Want.RANGES)
    assert torch.allclose(seen.ranges[:, 0, 1], hidden.amax(dim=1), atol=1e-6)


def test_memory_that_runs_out_while_neurons_are_found_is_said(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 5), Greedy(2, ALLOCATOR))
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        TorchModule(net, "greedy", outputs="logits").observe(small_images, Want.NEURONS)
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        TorchModule(net, "greedy", outputs="logits").neuron_map(small_images)


@pytest.mark.parametrize("most", [0, 1])
def test_gives_up_when_nothing_fits(small_images: Tensor, most: int) -> None:
    model = TorchModule(Greedy(most, ALLOCATOR), "greedy")
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch needs more memory than there is$"):
        model.observe(small_images)


def test_gives_up_when_memory_runs_out_later(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    net = Greedy(50, ALLOCATOR)
    model = TorchModule(net, "greedy")
    model.observe(small_images)
    net.most = 0
    with pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"):
        model.observe(small_images)


def test_other_runtime_errors_are_the_models(small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match="raised RuntimeError"):
        TorchModule(Greedy(0, RuntimeError("size mismatch"))).observe(small_images)


class Wide(nn.Module):
    """A small network that remembers how many rows it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.dense, self.head = nn.Linear(64, 1024), nn.Linear(1024, 3)
        self.sizes: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        self.sizes.append(len(x))
        answer: Tensor = self.head(self.dense(x.flatten(1)))
        return answer


def test_passes_that_keep_every_map_are_as_small_as_memory_asks(
    small_images: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(memory: int) -> tuple[set[int], Tensor]:
        monkeypatch.setattr("unnerve.subjects.adapters._passes._MEMORY", memory)
        torch.manual_seed(0)
        net = Wide()
        model = TorchModule(net, outputs="logits")
        masks = torch.ones(40, 1, len(model.neuron_map(small_images).hidden))
        model.silenced(small_images, masks)
        net.sizes.clear()
        _, gradients, _ = model.mask_gradient(small_images, masks, lambda seen, _: seen.logits[:, 0], torch.zeros(40))
        return set(net.sizes), gradients

    # An input takes 256 bytes, its layers 4,096 and 12; with what is made of them twice that.
    sizes, gradients = found(9 * 2 * (256 + 4096 + 12))
    assert sizes == {8}, "a power of two, and the last rows padded to as many"
    assert torch.allclose(gradients, found(2**30)[1], atol=1e-6)
    assert found(2**30)[0] == {40}
    assert found(1)[0] == {1}
