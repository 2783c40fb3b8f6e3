from pathlib import Path

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Want
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.joined import joined
from unnerve.subjects.models import model
from unnerve.subjects.zoo.mobilenet import mobilenet


def test_has_the_papers_parameters_and_neurons() -> None:
    net, x = mobilenet(), torch.rand(2, 3, 32, 32)
    assert sum(parameter.numel() for parameter in net.parameters()) == 4_231_976
    subject = TorchModule(net)
    found = subject.neuron_map(x)
    # 87 layers: 27 convolutions with batch norm and activation, pooling, reshaping, dropout, convolution, softmax,
    # reshaping.
    assert (len(found), len(found.layers), found.chosen_by) == (38_904, 87, "deepxplore")
    assert len(found.hidden) == 38_904 - 3_000
    seen = subject.observe(x, Want.NEURONS)
    assert seen.neurons.shape == (2, 38_904)
    assert torch.allclose(seen.neurons[:, -1000:], seen.probabilities.float(), rtol=1e-6, atol=1e-12)


def test_narrow_and_folded() -> None:
    net = mobilenet(0.25, folded=True)
    assert sum(parameter.numel() for parameter in net.parameters()) == 467_336
    # Convolution and activation only: (8 + 1,240 + 1,488) channels twice, then 256 and 1,000 three times each.
    assert len(TorchModule(net).neuron_map(torch.rand(2, 3, 32, 32))) == 2 * (8 + 1_240 + 1_488) + 3 * 256 + 3 * 1_000


@pytest.mark.parametrize(("side", "halved"), [(8, 4), (9, 5)])
def test_pads_below_and_on_the_right_as_tensorflow_does(side: int, halved: int) -> None:
    unit = mobilenet(0.25, folded=True).get_submodule("features.0")
    weight, bias = unit.get_parameter("conv.weight"), unit.get_parameter("conv.bias")
    torch.nn.init.zeros_(bias)
    torch.nn.init.zeros_(weight)
    weight.data[0, 0, 0, 0] = 1  # reads the upper left pixel of each window
    x = torch.zeros(1, 3, side, side)
    x[0, 0, 0, 0] = 1
    with torch.no_grad():
        maps = unit(x)[0, 0]
    assert maps.shape == (halved, halved)
    assert float(maps[0, 0]) == (1 if side % 2 == 0 else 0), "an even side is not padded above"


def test_refuses_no_width() -> None:
    with pytest.raises(InvalidSetting, match=r"mobilenet: width must be >= 1/32, got 0\.01"):
        model("zoo:mobilenet:width=0.01?random")


@pytest.mark.data
def test_real_weights(real_data: Path) -> None:
    subject = model(
        "zoo:mobilenet:width=0.25,folded=true,size=128",
        weights=real_data / "weights" / "imagenet_mobilenet_v1_0.25_128.pt",
    )
    subject, data = joined(subject, f"imagefolder:{real_data / 'imagenet-samples'}")
    right = []
    for batch in data.batches():
        assert batch.labels is not None
        right.append(subject.observe(batch.inputs).logits.topk(5, dim=1).indices == batch.labels.unsqueeze(1))
    ranks = torch.cat(right)
    # As the weights' own README has it; one photo may turn over on another processor.
    assert float(ranks[:, 0].float().mean()) == pytest.approx(0.470, abs=0.0025)
    assert float(ranks.any(dim=1).float().mean()) == pytest.approx(0.725, abs=0.0025)
