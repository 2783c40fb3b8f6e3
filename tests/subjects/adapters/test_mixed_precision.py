import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model


@pytest.fixture
def net() -> nn.Sequential:
    """A convolution of thirds, whose sums bfloat16 cannot hold, and a dense layer that adds them up."""
    conv, dense = nn.Conv2d(1, 1, 1), nn.Linear(64, 2)
    nn.init.constant_(conv.weight, 1 / 3)
    nn.init.constant_(dense.weight, 1.0)
    for bias in (conv.bias, dense.bias):
        assert bias is not None
        nn.init.zeros_(bias)
    return nn.Sequential(conv, nn.ReLU(), nn.Flatten(), dense).eval()


def test_rounds_weights_and_inputs_to_eight_bits_of_fraction(net: nn.Sequential) -> None:
    x = torch.ones(1, 1, 8, 8)
    # bfloat16 keeps 8 bits: a third is 171/512 = 0.333984375 there, and 64 of them are 21.375.
    answer = model(net, precision="bfloat16", outputs="logits").observe(x).logits
    assert answer.dtype == torch.float32
    assert answer.tolist() == [[21.375, 21.375]]
    assert model(net, outputs="logits").observe(x).logits[0, 0] == pytest.approx(64 / 3, abs=1e-4)


def test_is_another_model_with_the_same_neurons_and_gradients(net: nn.Sequential, small_images: Tensor) -> None:
    half, whole = (model(net, precision=kind, outputs="logits") for kind in ("bfloat16", "float32"))
    assert isinstance(half, TorchModule)
    assert isinstance(whole, TorchModule)
    assert half.identity((1, 8, 8)) != whole.identity((1, 8, 8))
    assert half.neuron_map(small_images) == whole.neuron_map(small_images)
    seen, exact = (one.observe(small_images, Want.RANGES) for one in (half, whole))
    assert seen.neurons.dtype == torch.float32
    assert torch.allclose(seen.neurons, exact.neurons, rtol=0.02)
    _, gradients, _ = half.gradient(small_images, lambda shown, _: shown.logits[:, 0], torch.zeros(len(small_images)))
    assert torch.allclose(gradients, torch.full_like(gradients, 1 / 3), rtol=0.02)


def test_an_input_alone_gets_the_bits_that_it_gets_in_company(small_images: Tensor) -> None:
    taken = model("zoo:lenet5?random", precision="bfloat16")
    x = torch.nn.functional.interpolate(small_images, 28)
    together = taken.observe(x).logits
    assert torch.equal(taken.observe(x[-3:]).logits, together[-3:])


def test_refuses_other_precisions_and_black_boxes(net: nn.Sequential) -> None:
    with pytest.raises(InvalidSetting, match="precision must be float32, bfloat16 or float16, got 'int8'"):
        model(net, precision="int8")
    with pytest.raises(InvalidSetting, match=r"precision need an nn\.Module"):
        model(lambda x: x, precision="bfloat16")
