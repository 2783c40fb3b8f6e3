"""A hunt on a model behind an address that is lost in the middle, and its resumption."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.endpoint_server import Script, serving
from unnerve.cli.main import main
from unnerve.core.errors import ModelUnreachable
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.data import examples


@pytest.fixture
def script(tiny_net: nn.Module) -> Script:
    return Script(tiny_net)


@pytest.fixture
def url(script: Script) -> Iterator[str]:
    with serving(script) as address:
        yield f"{address},wait=0.01,retries=2"


@pytest.fixture
def data(tmp_path: Path, tiny_net: nn.Module, small_images: Tensor) -> Path:
    with torch.no_grad():
        labels = tiny_net(small_images).argmax(dim=1)
    np.savez(tmp_path / "data.npz", x=small_images.numpy(), y=labels.numpy())
    return tmp_path / "data.npz"


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").glob("*.parquet"))}


def words(url: str, data: Path, out: Path, *more: str) -> list[str]:
    method = "patch:size=3,iterations=20"
    given = ["--method", method, "--region", "linf:0.5", "--inputs", "12", "--shard", "4", "--out", str(out)]
    return ["hunt", url, str(data), *given, *more]


def test_a_hunt_that_loses_its_endpoint_says_so_and_goes_on_where_it_was(
    script: Script, url: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    assert main(words(url, data, whole)) == 0
    needed = len(script.times)
    script.dies_after = needed + needed // 3  # while it hunts, not while it measures how small a change may be
    assert main(words(url, data, torn)) == 2
    said = capsys.readouterr().err.strip()
    assert "cannot be reached" in said
    assert said.endswith("(3 tries); --resume goes on from here")
    assert "\n" not in said
    assert 0 < len(shards(torn)) < len(shards(whole))
    script.dies_after, before = None, len(script.times)
    assert main(words(url, data, torn, "--resume")) == 0
    assert shards(torn) == shards(whole)
    assert len(script.times) - before < needed, "what was finished is not asked again"


def test_in_python_too(script: Script, url: str, data: Path, tmp_path: Path) -> None:
    script.dies_after = 12
    with pytest.raises(ModelUnreachable, match=r"cannot be reached: .*; `resume` goes on from here"):
        hunt(
            url,
            examples(data),
            "patch:size=3,iterations=20",
            str(tmp_path / "out"),
            region="linf:0.5",
            inputs=12,
            shard=4,
        )


def test_an_endpoint_that_is_not_there_leaves_nothing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words("http://127.0.0.1:9/predict", data, tmp_path / "out")) == 2
    said = capsys.readouterr().err
    assert said.startswith("unnerve: http://127.0.0.1:9/predict cannot be reached: ")
    assert not (tmp_path / "out").exists()
