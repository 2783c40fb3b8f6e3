import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, OutputRefused
from unnerve.subjects.weights import fill, recipe_of, save_weights, shipped


class Malicious:
    """A thing whose unpickling creates a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.target}",)


def weights() -> dict[str, Tensor]:
    return {"weight": torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "bias": torch.tensor([5.0, 6.0])}


def filled() -> nn.Linear:
    net = nn.Linear(2, 2)
    net.load_state_dict(weights())
    return net


def test_weights_in_half_precision_are_half_as_large_and_load_as_they_were_rounded(tmp_path: Path) -> None:
    net = nn.Linear(100, 100)
    net.weight.data.fill_(0.1)
    save_weights(net, tmp_path / "whole.safetensors", {})
    save_weights(net, tmp_path / "half.safetensors", {}, half=True)
    assert (tmp_path / "half.safetensors").stat().st_size < 0.51 * (tmp_path / "whole.safetensors").stat().st_size
    read = fill(nn.Linear(100, 100), tmp_path / "half.safetensors").state_dict()["weight"]
    assert read.dtype == torch.float32
    assert read[0, 0].item() == 0.0999755859375  # the nearest number that float16 has


def test_round_trip_with_recipe(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    recipe = {"network": "net1", "recipe": {"epochs": 3, "rate": 0.1}, "test": None}
    save_weights(filled(), path, recipe)
    net = fill(nn.Linear(2, 2), path)
    assert all(torch.equal(net.state_dict()[name], tensor) for name, tensor in weights().items())
    assert recipe_of(path) == recipe
    assert list(tmp_path.iterdir()) == [path]


def test_shipped_weights_say_how_they_were_made() -> None:
    for name in ("lenet1", "lenet4", "lenet5"):
        path = shipped(name)
        assert path is not None
        assert recipe_of(path)["network"] == name
        assert recipe_of(path)["recipe"]["epochs"] >= 1
    assert shipped("net1") is None


@pytest.mark.parametrize("wrapped", [True, False])
def test_reads_torchs_own_files(tmp_path: Path, wrapped: bool) -> None:
    path = tmp_path / "net.pth"
    torch.save({"state_dict": weights(), "epoch": 3} if wrapped else weights(), path)
    assert torch.equal(fill(nn.Linear(2, 2), path).get_parameter("weight"), weights()["weight"])


def test_reads_arrays(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    halves = {name: tensor.numpy().astype(np.float16) for name, tensor in weights().items()}
    np.savez(path, weight=halves["weight"], bias=halves["bias"])
    net = fill(nn.Linear(2, 2), path)
    assert all(torch.equal(net.state_dict()[name], tensor) for name, tensor in weights().items())
    np.savez(path, weight=np.array(["a", "b"]))
    with pytest.raises(InvalidModel, match=r"net\.npz: not a readable npz file of numbers"):
        fill(nn.Linear(2, 2), path)


@pytest.mark.parametrize("suffix", [".pt", ".npz"])
def test_compressed_weights_are_bounded(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"net{suffix}"
    np.savez(path, weight=np.zeros((2, 2))) if suffix == ".npz" else torch.save(weights(), path)
    _packed_anew(path, zipfile.ZIP_DEFLATED)
    if suffix == ".pt":  # honest files that somebody packed again are read
        assert torch.equal(fill(nn.Linear(2, 2), path).get_parameter("weight"), weights()["weight"])
    monkeypatch.setattr("unnerve.core.storage.limits.UNPACKED", 99)
    with pytest.raises(InvalidModel, match=r"net\..*must unpack to <= 99 bytes, got "):
        fill(nn.Linear(2, 2), path)
    _packed_anew(path, zipfile.ZIP_LZMA)
    with pytest.raises(InvalidModel, match=r"net\..*must be stored or deflated, got another compression"):
        fill(nn.Linear(2, 2), path)


def _packed_anew(path: Path, kind: int) -> None:
    with zipfile.ZipFile(path) as file:
        records = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, data in records.items():
            file.writestr(name, data)


def test_arrays_run_no_code(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "evil.npz"
    np.savez(path, allow_pickle=True, weight=np.array([Malicious(victim)], dtype=object))
    with pytest.raises(InvalidModel, match="not a readable npz file of numbers"):
        fill(nn.Linear(2, 2), path)
    assert not victim.exists()


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("how", ["torch", "pickle", "inside"])
@pytest.mark.parametrize("suffix", [".pt", ".pth", ".safetensors"])
def test_runs_no_code(tmp_path: Path, how: str, suffix: str) -> None:
    victim, path = tmp_path / "victim", tmp_path / f"evil{suffix}"
    evil = {"weight": Malicious(victim)} if how == "inside" else Malicious(victim)
    if how == "torch":
        torch.save(evil, path)
    else:
        path.write_bytes(pickle.dumps(evil))
    refused = "not a readable safetensors file" if suffix == ".safetensors" else "refused: it holds a? ?pickled object"
    with pytest.raises(InvalidModel, match=refused):
        fill(nn.Linear(2, 2), path)
    assert not victim.exists()


def test_the_malicious_file_would_have_done_harm(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    pickle.loads(pickle.dumps(Malicious(victim)))  # noqa: S301
    assert victim.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weight": torch.zeros(3, 2)}, "weights do not fit the model: size mismatch for weight"),
        ({"weight": None}, "weights do not fit the model: Missing key"),
        ({"extra": torch.zeros(1)}, "weights do not fit the model: Unexpected key"),
    ],
)
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_refuses_weights_of_another_model(tmp_path: Path, change: dict[str, Any], words: str, suffix: str) -> None:
    path = tmp_path / f"net{suffix}"
    state = {name: tensor for name, tensor in (weights() | change).items() if tensor is not None}
    if suffix == ".pth":
        torch.save(state, path)
    else:
        from safetensors.torch import save_file

        save_file(state, path)
    with pytest.raises(InvalidModel) as error:
        fill(nn.Linear(2, 2), path)
    assert str(error.value).startswith(f"{path}: {words}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut short", b"this is no weights file at all", bytes(range(256))]
)
@pytest.mark.parametrize("suffix", [".pth", ".safetensors", ".npz"])
def test_refuses_garbage_in_one_line(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"net{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidModel, match=rf"^{path}: (not a readable|refused)") as error:
        fill(nn.Linear(2, 2), path)
    assert "\n" not in str(error.value)


def test_refuses_a_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    save_weights(filled(), path, {})
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InvalidModel, match="not a readable safetensors file"):
        fill(nn.Linear(2, 2), path)
    with pytest.raises(InvalidModel, match="not a readable safetensors file"):
        recipe_of(path)


@pytest.mark.parametrize("content", [[1, 2], {"weight": "text"}, 7])
def test_refuses_what_is_no_state_dict(tmp_path: Path, content: object) -> None:
    torch.save(content, tmp_path / "net.pth")
    with pytest.raises(InvalidModel, match=r"must hold a state dict \(names to tensors\), got "):
        fill(nn.Linear(2, 2), tmp_path / "net.pth")


def test_refuses_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"no such weights file: .*nowhere\.pt"):
        fill(nn.Linear(2, 2), tmp_path / "nowhere.pt")


def test_writes_all_or_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputRefused, match="cannot write"):
        save_weights(filled(), tmp_path / "nowhere" / "net.safetensors", {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputRefused, match="cannot write"):
        save_weights(filled(), tmp_path / "folder", {})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_of_many_weights_that_do_not_fit_a_few_are_named(tmp_path: Path) -> None:
    deep = nn.Sequential(*(nn.Linear(2, 2) for _ in range(9)))
    torch.save({f"net.{name}": value for name, value in deep.state_dict().items()}, tmp_path / "net.pt")
    with pytest.raises(InvalidModel) as error:
        fill(deep, tmp_path / "net.pt")
    said = str(error.value)
    assert 'Missing key(s) in state_dict: "0.weight", "0.bias", "1.weight" and 15 more.' in said
    assert 'Unexpected key(s) in state_dict: "net.0.weight", "net.0.bias", "net.1.weight" and 15 more.' in said


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_program_is_no_weights(tmp_path: Path) -> None:
    torch.jit.save(torch.jit.script(nn.Linear(2, 2)), tmp_path / "net.pt")
    with pytest.raises(InvalidModel, match="is a TorchScript program, which has its own weights"):
        fill(nn.Linear(2, 2), tmp_path / "net.pt")
