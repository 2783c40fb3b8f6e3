import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.memory import ALLOCATOR, Greedy
from unnerve.core.errors import InvalidModel
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.mark.parametrize("problem", [ALLOCATOR, torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
@pytest.mark.parametrize("most", [2, 20, 50, 100])
def test_halves_the_micro_batch_when_memory_runs_out(small_images: Tensor, most: int, problem: Exception) -> None:
    net, x = Greedy(most, problem), small_images.repeat(4, 1, 1, 1)
    model = TorchModule(net)
    assert not model.halved
    expected = x.flatten(1)[:, :3] - 0.5
    left = {2: 2, 20: 16, 50: 32, 100: 64}[most]
    with pytest.warns(UserWarning, match=r"Greedy: memory ran out; going on with \d+ inputs at a time"):
        assert torch.equal(model.observe(x).logits, expected)
    assert max(net.sizes) == left
    assert model.halved == Metered(model, Meter(160, None)).halved == left
    net.sizes.clear()
    values, gradients, _ = model.gradient(x, lambda seen, _: seen.logits[:, 1], torch.zeros(160))
    assert torch.equal(values, expected[:, 1])
    assert torch.equal(gradients.flatten(1), torch.eye(64)[1].expand(160, 64))
    assert min(net.sizes) >= 2


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
    with (
        pytest.warns(UserWarning, match="memory ran out"),
        pytest.raises(InvalidModel, match=r"^greedy: even the smallest batch"),
    ):
        model.observe(small_images)


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
        # Threads that share sums are a reason of their own for fewer rows.
        monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
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
