from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Capability, Want
from unnerve.subjects.models import model


@pytest.mark.filterwarnings("ignore")
def test_torchscript(tiny_net: nn.Module, small_images: Tensor, tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.jit.save(torch.jit.trace(tiny_net, small_images[:2]), str(path))
    for source in (path, str(path)):
        taken = model(source)
        assert torch.allclose(
            taken.observe(small_images).logits, model(tiny_net).observe(small_images).logits, atol=1e-6
        )
        assert taken.name == str(path)
        assert taken.offers == Capability.GRADIENTS
        with pytest.raises(InvalidModel, match="layers of an exported program cannot be watched"):
            taken.observe(small_images, Want.NEURONS)
    with pytest.raises(InvalidSetting, match="holds its own weights"):
        model(path, weights=path)


@pytest.mark.filterwarnings("ignore")
def test_a_state_dict_is_no_model(tmp_path: Path, tiny_net: nn.Module) -> None:
    torch.save(tiny_net.state_dict(), tmp_path / "weights.pt")
    with pytest.raises(InvalidModel, match=r"holds weights without the model; .*: FILE\.py:build `weights` "):
        model(tmp_path / "weights.pt")


@pytest.mark.filterwarnings("ignore")
def test_a_pickled_model_says_how_to_save_it_instead(tmp_path: Path, tiny_net: nn.Module) -> None:
    torch.save(tiny_net, tmp_path / "net.pth")
    with pytest.raises(InvalidModel) as error:
        model(tmp_path / "net.pth")
    assert "holds a pickled object (torch.nn.modules.container.Sequential)" in str(error.value)
    assert "torch.save(model.state_dict(), 'weights.pt')" in str(error.value)
    assert "\n" not in str(error.value)
