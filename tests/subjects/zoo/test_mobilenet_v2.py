from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.joined import joined
from unnerve.subjects.models import model
from unnerve.subjects.zoo.mobilenet_v2 import mobilenet_v2


def test_has_the_parameters_of_the_paper_and_every_layer_counts() -> None:
    net = mobilenet_v2()
    assert sum(parameter.numel() for parameter in net.parameters()) == 3_504_872
    found = TorchModule(net).neuron_map(torch.rand(2, 3, 32, 32))
    layers = {layer.name: layer.count for layer in found.layers}
    assert layers["features.0.0"] == layers["features.0.2"] == 32
    assert sum(name.endswith(".add") for name in layers) == 10
    assert layers["features.18.2"] == layers["pool"] == 1280


@pytest.mark.parametrize(("padding", "corner"), [("tensorflow", 1.0), ("symmetric", 0.0)])
def test_where_a_halving_convolution_begins(padding: str, corner: float) -> None:
    unit = mobilenet_v2(padding).get_submodule("features.0")
    weight = unit.get_parameter("0.weight")
    torch.nn.init.zeros_(weight)
    weight.data[0, 0, 0, 0] = 1  # reads the upper left pixel of each window
    x = torch.zeros(1, 3, 8, 8)
    x[0, 0, 0, 0] = 1
    with torch.no_grad():
        maps = unit(x)[0, 0]
    assert maps.shape == (4, 4)
    assert float(maps[0, 0]) == pytest.approx(corner, abs=1e-4)


def test_photos_of_any_size_need_no_options(tmp_path: Path) -> None:
    for name, size in (("a", (90, 60)), ("b", (40, 300))):
        (tmp_path / name).mkdir()
        Image.fromarray(np.full((*size, 3), 255, np.uint8)).save(tmp_path / name / "one.png")
    Image.new("CMYK", (70, 50)).save(tmp_path / "a" / "two.jpg")
    subject, data = joined("zoo:mobilenet_v2:size=32?random", f"imagefolder:{tmp_path}")
    assert data.shape == (3, 32, 32)
    assert len(data) == 3
    with torch.random.fork_rng():
        torch.manual_seed(0)
        bare = mobilenet_v2(size=32)
    white = torch.ones(2, 3, 32, 32)
    with torch.no_grad():
        assert torch.allclose(subject.observe(white).logits, bare(white), atol=1e-5), "white is 1 in [-1, 1] too"
        black = subject.observe(torch.zeros(2, 3, 32, 32)).logits
        assert torch.allclose(black, bare(-white), atol=1e-5)
    _, other = joined("zoo:mobilenet_v2:size=32?random", f"imagefolder:{tmp_path},size=16")
    assert other.shape == (3, 16, 16), "what the user says comes first"


def test_refuses_another_padding() -> None:
    with pytest.raises(InvalidSetting, match=r"mobilenet_v2: padding must be tensorflow or symmetric, got 'none'"):
        model("zoo:mobilenet_v2:padding=none?random")


@pytest.mark.data
@pytest.mark.soak
def test_real_weights_on_all_photos(real_data: Path) -> None:
    assert _ranks(real_data, 1000) == pytest.approx((0.862, 0.975), abs=0.0025)


@pytest.mark.data
def test_real_weights(real_data: Path) -> None:
    # The first photos show fish and birds, which are harder to tell apart: 0.766 of them here, 0.862 of all.
    first, _ = _ranks(real_data, 64)
    assert first == pytest.approx(0.766, abs=0.033)


def _ranks(real_data: Path, count: int) -> tuple[float, float]:
    """Return the shares of photos whose class comes first, and among the first five."""
    weights = real_data / "weights" / "imagenet_mobilenet_v2_1.0_224_fp16.pt"
    photos = f"imagefolder:{real_data / 'imagenet-samples'}"
    subject, data = joined(model("zoo:mobilenet_v2", weights=weights), photos)
    right = []
    for batch in data.first(count).batches():
        assert batch.labels is not None
        right.append(subject.observe(batch.inputs).logits.topk(5, dim=1).indices == batch.labels.unsqueeze(1))
    ranks = torch.cat(right)
    return float(ranks[:, 0].float().mean()), float(ranks.any(dim=1).float().mean())
