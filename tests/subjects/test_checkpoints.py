from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from unnerve.core.errors import InvalidModel
from unnerve.subjects.checkpoints import weights_in
from unnerve.subjects.weights import fill

KNOWN = ("0.weight", "0.bias", "1.weight", "1.bias")


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 2))


def weights(value: float = 1.0) -> dict[str, Tensor]:
    return {name: torch.full_like(tensor, value) for name, tensor in net().state_dict().items()}


def prefixed(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {prefix + name: tensor for name, tensor in tensors.items()}


@pytest.mark.parametrize("key", ["model", "state_dict", "model_state_dict", "ema"])
@pytest.mark.parametrize("prefix", ["", "module.", "model.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."])
def test_weights_under_the_keys_and_prefixes_of_training_scripts(tmp_path: Path, key: str, prefix: str) -> None:
    path = tmp_path / "last.ckpt"
    optimiser = {"state": {0: {"step": torch.tensor(1.0)}}, "param_groups": [{"lr": 0.1}]}
    torch.save({key: prefixed(prefix, weights(3.0)), "epoch": 7, "optimizer": optimiser}, path)
    assert all(bool((tensor == 3).all()) for tensor in fill(net(), path).state_dict().values())


def test_prefixes_that_the_module_has_itself_stay() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = net()

    known = Outer().state_dict()
    for saved in (known, prefixed("module.", known)):
        assert set(weights_in(saved, None, known, "net.pt")) == set(known)


def test_what_stands_beside_prefixed_weights_is_left() -> None:
    saved = {"state_dict": prefixed("model.", weights()) | {"loss.weight": torch.ones(2)}}
    assert set(weights_in(saved, None, KNOWN, "net.pt")) == set(KNOWN)


def test_averaged_weights(tmp_path: Path) -> None:
    path = tmp_path / "averaged.pt"
    torch.save(AveragedModel(net()).state_dict(), path)
    fill(net(), path)


def test_several_sets_that_differ_must_be_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    torch.save({"model": weights(1.0), "ema": {"weights": prefixed("module.", weights(2.0))}}, path)
    with pytest.raises(InvalidModel, match=r"several sets of weights that fit: model, ema\.weights; .*#model"):
        fill(net(), path)
    for key, value in (("model", 1), ("ema.weights", 2)):
        assert all(bool((tensor == value).all()) for tensor in fill(net(), f"{path}#{key}").state_dict().values())
    with pytest.raises(InvalidModel, match=r"has no weights under 'sma'; it has model, ema\.weights"):
        fill(net(), f"{path}#sma")


def test_equal_sets_need_no_choice() -> None:
    assert set(weights_in({"model": weights(), "ema": weights()}, None, KNOWN, "net.pt")) == set(KNOWN)


def test_the_set_that_fits_is_taken() -> None:
    other = {"head.weight": torch.ones(3)}
    assert set(weights_in({"teacher": other, "student": weights()}, None, KNOWN, "net.pt")) == set(KNOWN)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([1], "net.pt: must hold a state dict (names to tensors), got list"),
        ({}, "net.pt: must hold a state dict (names to tensors), got an empty dict"),
        ({"epoch": 3, "loss": 0.1}, "net.pt: must hold a state dict (names to tensors), got a dict with epoch, loss"),
    ],
)
def test_what_holds_no_weights(found: Any, words: str) -> None:
    with pytest.raises(InvalidModel) as error:
        weights_in(found, None, KNOWN, "net.pt")
    assert str(error.value) == words


def test_a_whole_model_is_refused_and_says_how_to_save_it(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.save(net(), path)
    with pytest.raises(InvalidModel) as error:
        fill(net(), path)
    assert "refused: it holds a pickled object (torch.nn.modules.container.Sequential)" in str(error.value)
    assert "torch.save(model.state_dict(), 'weights.pt')" in str(error.value)


def test_a_file_whose_name_has_the_sign(tmp_path: Path) -> None:
    path = tmp_path / "run#3.pt"
    torch.save(weights(4.0), path)
    assert bool((fill(net(), path).state_dict()["0.weight"] == 4).all())
