import json
from pathlib import Path

import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.examples import Examples
from unnerve.studies.hunt import Hunting, default_region, hunt, hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

SMALL = Hunting(region="linf:0.3", inputs=9, shard=4, seed=3)


@pytest.fixture
def answered(tiny_model: TorchModule, small_images: torch.Tensor) -> Examples:
    """Return images labelled as the model answers, but for every fourth, which is labelled wrongly."""
    labels = tiny_model.observe(small_images).predicted.clone()
    labels[::4] = (labels[::4] + 1) % 4
    return tensors(small_images, labels, classes="abcd", name="answered")


def test_finds_and_keeps(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, "pgd:steps=8", str(tmp_path / "a"), SMALL)
    figures = json.loads(json.dumps(found.summary()))
    keys = {"method", "region", "inputs", "errors", "error_categories", "seeds_broken", "queries", "seconds", "out"}
    assert keys <= set(figures)
    assert (figures["method"], figures["region"], figures["inputs"]) == ("pgd", "linf:0.3", 9)
    assert figures["queries"] == 9 * (1 + 2 * 8)
    table = found.findings
    assert table.num_rows == figures["errors"] > 0
    assert len(set(table["id"].to_pylist())) == table.num_rows
    pairs = set(zip(table["seed_id"].to_pylist(), table["after"].to_pylist(), strict=True))
    assert len(pairs) == figures["error_categories"]


def test_every_finding_fails_again_from_its_bytes(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    rows = hunt(tiny_model, answered, "pgd:steps=8", str(tmp_path / "a"), SMALL).findings.to_pylist()
    again = torch.stack([torch.frombuffer(bytearray(row["input"]), dtype=torch.float32).view(1, 8, 8) for row in rows])
    assert tiny_model.observe(again).predicted.tolist() == [row["after"] for row in rows]
    assert all(row["after"] != row["label"] for row in rows)
    seeds = dict(zip(answered.ids(), answered.batch(range(40)).inputs, strict=True))
    assert all(
        float((x - seeds[row["seed_id"]]).abs().amax()) <= 0.3 + 1e-6 for x, row in zip(again, rows, strict=True)
    )


def test_seeds_are_the_first_correct_ones(tiny_model: TorchModule, answered: Examples) -> None:
    assert hunted_seeds(tiny_model, answered, 5).ids() == ("1", "2", "3", "5", "6")
    assert len(hunted_seeds(tiny_model, answered, 1000)) == 30
    unlabelled = tensors(answered.batch(range(40)).inputs)
    assert hunted_seeds(tiny_model, unlabelled, 5).ids() == ("0", "1", "2", "3", "4")
    with pytest.raises(InvalidData, match="tiny classifies no input correctly"):
        hunted_seeds(tiny_model, answered.take(range(0, 40, 4)), 5)


def test_resuming_ends_with_the_same_bytes(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    def files(name: str) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((tmp_path / name / "shards").iterdir())}

    swarm = "guided:search=pso(particles=5,iterations=4)"
    for name in ("whole", "cut"):
        hunt(tiny_model, answered, swarm, str(tmp_path / name), SMALL)
    sorted((tmp_path / "cut" / "shards").iterdir())[1].unlink()
    hunt(tiny_model, answered, swarm, str(tmp_path / "cut"), SMALL, resume=True)
    assert len(files("whole")) == 3
    assert files("cut") == files("whole")


def test_refuses_to_overwrite_and_to_mix(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    out = str(tmp_path / "a")
    hunt(tiny_model, answered, "random:iterations=2", out, SMALL)
    with pytest.raises(OutputRefused, match="holds a campaign; --resume goes on with it"):
        hunt(tiny_model, answered, "random:iterations=2", out, SMALL)
    with pytest.raises(InvalidSetting, match="was begun otherwise"):
        hunt(tiny_model, answered, "random:iterations=3", out, SMALL, resume=True)


def test_usual_regions() -> None:
    assert default_region((1, 28, 28)) == "linf:0.1"
    assert default_region((3, 32, 32)) == "linf:8/255"
