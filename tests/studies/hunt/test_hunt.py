import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines.local import Local
from unnerve.campaign.plan import Shard
from unnerve.campaign.run import OnProgress
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, OutputRefused
from unnerve.core.naming.catalogue import build
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import HuntSettings, Progress, RunSettings, hunt
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

PGD, SWARM = "pgd:steps=8", "guided:search=pso(particles=5,iterations=4)"
SMALL: dict[str, Any] = {"region": "linf:0.3", "inputs": 9, "shard": 4, "seed": 3}
Files = Callable[[str], dict[str, bytes]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return files(name) -> the shards of a campaign: file name to content."""
    return lambda name: {path.name: path.read_bytes() for path in sorted((tmp_path / name / "shards").iterdir())}


def test_finds_and_keeps(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL)
    figures = json.loads(json.dumps(found.summary()))
    keys = {"method", "region", "inputs", "errors", "error_categories", "seeds_broken", "queries", "seconds", "out"}
    assert keys <= set(figures)
    assert (figures["method"], figures["region"], figures["inputs"]) == ("pgd", "linf:0.3", 9)
    assert figures["queries"] == 9 * (1 + 2 * 8)
    assert figures["complete"] is True
    table = found.findings
    assert table.num_rows == figures["errors"] > 0
    assert len(set(table["id"].to_pylist())) == table.num_rows
    pairs = set(zip(table["seed_id"].to_pylist(), table["after"].to_pylist(), strict=True))
    assert len(pairs) == figures["error_categories"]


class LargeNet(nn.Module):
    """Answers by the mean brightness, whatever the size; says that memory ran out above 8 inputs."""

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > 8:
            raise MemoryError
        mean = x.flatten(1).mean(dim=1)
        return torch.stack([mean - 0.5, 0.5 - mean], dim=1)


def test_shards_of_large_inputs_are_smaller_and_tell_that_memory_ran_out(tmp_path: Path) -> None:
    images = torch.full((15, 3, 224, 224), 0.505)
    with pytest.warns(UserWarning, match="LargeNet: memory ran out; going on with"):
        found = hunt(LargeNet(), tensors(images), "fgsm", str(tmp_path / "a"), region="linf:0.1", inputs=15)
    assert found.plan.shard == 13
    assert found.rows()[0]["seeds_broken"] == 15
    told = [json.loads(path.read_text()) for path in sorted((tmp_path / "a" / "timings").iterdir())]
    assert [one["memory_ran_out_inputs_at_a_time"] for one in told] == [8, 8]


@pytest.mark.parametrize("methods", [f"{PGD},random", [PGD, "random"], (build("hunter", PGD), "random")], ids=str)
def test_several_methods_go_each_to_its_own_end(
    methods: Any, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    found = hunt(tiny_model, answered, methods, str(tmp_path / "a"), **SMALL)
    alone = hunt(tiny_model, answered, PGD, str(tmp_path / "b"), **SMALL)
    assert [row["method"] for row in found.rows()] == ["pgd", "random"]
    assert found.rows()[0]["queries"] == alone.rows()[0]["queries"]
    assert found.provenance is not None
    assert found.provenance.call.settings["method"] == "pgd:steps=8,random"


def test_a_campaign_is_opened_again(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL)
    again = Campaign.at(tmp_path / "a")
    assert again.summary() == found.summary()
    assert again.findings.equals(found.findings)
    assert again.plan == found.plan
    assert again.plan.data.name == "answered"
    assert again.plan.data.details["looked_at"] == 12
    assert again.accuracy is not None
    assert (again.accuracy.right, again.accuracy.inputs) == (30, 40)
    assert again.summary()["accuracy"] == 0.75


def test_every_finding_fails_again_from_its_bytes(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL)
    rows = found.findings.to_pylist()
    again = torch.stack([torch.frombuffer(bytearray(row["input"]), dtype=torch.float32).view(1, 8, 8) for row in rows])
    assert tiny_model.observe(again).predicted.tolist() == [row["after"] for row in rows]
    assert all(row["after"] != row["label"] for row in rows)
    seeds = dict(zip(answered.ids(), answered.batch(range(40)).inputs, strict=True))
    assert all(
        float((x - seeds[row["seed_id"]]).abs().amax()) <= 0.3 + 1e-6 for x, row in zip(again, rows, strict=True)
    )
    for name, stored in found.store.seeds(seeds).items():
        np.testing.assert_array_equal(stored, seeds[name].numpy())


@pytest.mark.parametrize("method", [PGD, "guided:search=pso(particles=20,iterations=12)"])
def test_a_target_is_what_counts(method: str, tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, method, str(tmp_path / "a"), target=1, **SMALL)
    table = found.findings
    assert table.num_rows > 0
    assert set(table["after"].to_pylist()) == {1}
    assert 1 not in table["before"].to_pylist()
    assert found.plan.oracle.described == {"name": "becomes", "target": 1}
    assert found.plan.oracle.target == 1


@pytest.mark.parametrize("method", [PGD, SWARM, "random:iterations=2"])
def test_a_target_out_of_range_is_refused_before_anything_is_written(
    method: str, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSetting, match=r"^target must be in \[0, 3\], got 4$"):
        hunt(tiny_model, answered, method, str(tmp_path / "a"), target=4, **SMALL)
    assert not (tmp_path / "a").exists()


def test_target_and_oracle_exclude_each_other() -> None:
    with pytest.raises(InvalidSetting, match="target 1 is an oracle of its own; leave oracle 'changed' away"):
        HuntSettings(target=1, oracle="changed")


def test_without_labels_a_change_is_an_error(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    unlabelled = tensors(answered.batch(range(40)).inputs, name="bare")
    found = hunt(tiny_model, unlabelled, PGD, str(tmp_path / "a"), **SMALL)
    assert found.plan.oracle.described == {"name": "changed"}
    assert set(found.findings["label"].to_pylist()) == {None}
    with pytest.raises(InvalidData, match="the oracle 'misclassified' needs labels"):
        hunt(tiny_model, unlabelled, PGD, str(tmp_path / "b"), oracle="misclassified", **SMALL)
    assert not (tmp_path / "b").exists()


def test_resuming_ends_with_the_same_bytes(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path, files: Files
) -> None:
    for name in ("whole", "cut"):
        hunt(tiny_model, answered, SWARM, str(tmp_path / name), **SMALL)
    sorted((tmp_path / "cut" / "shards").iterdir())[1].unlink()
    assert not Campaign.at(tmp_path / "cut").complete
    hunt(tiny_model, answered, SWARM, str(tmp_path / "cut"), **SMALL, resume=True)
    assert len(files("whole")) == 3
    assert files("cut") == files("whole")


def test_refuses_to_overwrite_and_to_mix(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    out = str(tmp_path / "a")
    hunt(tiny_model, answered, "random:iterations=2", out, **SMALL)
    with pytest.raises(OutputRefused, match="holds a campaign; `resume` goes on with it"):
        hunt(tiny_model, answered, "random:iterations=2", out, **SMALL)
    with pytest.raises(InvalidSetting, match=r"was begun otherwise \(methods\.1\.iterations: 2, now 3\)"):
        hunt(tiny_model, answered, "random:iterations=3", out, **SMALL, resume=True)
    other = tensors(answered.batch(range(40)).inputs.flip(0), name="answered")
    with pytest.raises(InvalidSetting, match=r"was begun otherwise \(data\.hash: "):
        hunt(tiny_model, other, "random:iterations=2", out, **SMALL, resume=True)


def test_another_model_is_refused(
    tiny_model: TorchModule, tiny_net: nn.Module, answered: Examples, tmp_path: Path
) -> None:
    out = str(tmp_path / "a")
    hunt(tiny_model, answered, "random:iterations=2", out, **SMALL)
    with torch.no_grad():
        next(tiny_net.parameters()).mul_(1 + 1e-6)
    with pytest.raises(InvalidSetting, match=r"was begun otherwise \(model\.hash: "):
        hunt(TorchModule(tiny_net, "tiny"), answered, "random:iterations=2", out, **SMALL, resume=True)


def test_what_exists_is_told_before_the_model_is_asked(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    hunt(tiny_model, answered, "random:iterations=2", str(tmp_path / "a"), **SMALL)

    def asked(_: np.ndarray) -> np.ndarray:
        raise AssertionError

    with pytest.raises(OutputRefused, match="holds a campaign"):
        hunt(asked, answered, "random:iterations=2", str(tmp_path / "a"), **SMALL)


@pytest.mark.parametrize(
    ("method", "region", "words"),
    [
        (PGD, "l0:0.1", r"^pgd works in linf or l2, got l0$"),
        ("nobody", "linf:0.1", r"^unknown hunter 'nobody'"),
        ("pgd:steps=0", "linf:0.1", r"^steps must be >= 1, got 0$"),
        (PGD, "linf:-1", r"^radius must be > 0"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_is_written(
    method: str, region: str, words: str, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match=words) as error:
        hunt(tiny_model, answered, method, str(tmp_path / "a"), **{**SMALL, "region": region})
    assert type(error.value).__module__ == "unnerve.core.errors"
    assert list(tmp_path.iterdir()) == []


def test_a_black_box_without_gradients_is_refused_before_anything_is_written(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    def box(x: np.ndarray) -> np.ndarray:
        return tiny_model.observe(torch.from_numpy(x)).logits.numpy()

    with pytest.raises(InvalidModel, match=r"^pgd needs gradients, which box does not offer"):
        hunt(BlackBox(box, outputs="logits"), answered, PGD, str(tmp_path / "a"), **SMALL)
    assert list(tmp_path.iterdir()) == []
    found = hunt(BlackBox(box, outputs="logits"), answered, SWARM, str(tmp_path / "a"), **SMALL)
    assert found.summary()["inputs"] == 9


MARK = 0.123


class Delicate(nn.Module):
    """The tiny network, which breaks on images with a marked corner."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Tensor) -> Any:
        if bool((x[:, 0, 0, 0] == MARK).any()):
            raise RuntimeError("it hurts\nvery much")
        return self.net(x)


@pytest.mark.parametrize("marked", [[1], [2, 3], [1, 5, 9, 11]])
def test_poisoned_inputs_are_recorded_and_the_rest_is_hunted(
    marked: list[int], tiny_net: nn.Module, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    images = answered.batch(range(40)).inputs.clone()
    labels = tiny_model.observe(images).predicted.clone()
    labels[::4] = (labels[::4] + 1) % 4
    sound = hunt(tiny_model, tensors(images, labels, name="x"), PGD, str(tmp_path / "sound"), **SMALL)
    images[marked, 0, 0, 0] = MARK
    poisoned = TorchModule(Delicate(tiny_net), "delicate")
    found = hunt(poisoned, tensors(images, labels, name="x"), PGD, str(tmp_path / "poisoned"), **SMALL)
    (tally,) = found.tallies.values()
    failed = {seed.id: seed.failed for seed in tally.seeds if seed.failed is not None}
    assert list(failed) == [str(row) for row in marked]
    assert all("delicate raised RuntimeError" in str(why) and str(why).endswith("it hurts") for why in failed.values())
    assert found.summary()["failed"] == len(marked)
    assert found.summary()["inputs"] == 9 - len(marked)

    def apart(campaign: Campaign) -> list[dict[str, Any]]:
        return [row for row in campaign.findings.to_pylist() if row["seed_id"] not in failed]

    assert apart(found) == apart(sound)


def test_a_model_that_always_breaks_is_the_models_fault(answered: Examples, tmp_path: Path) -> None:
    calls = []

    def broken(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        raise ValueError("never")

    with pytest.raises(InvalidModel, match=r"^broken raised ValueError: never$"):
        hunt(BlackBox(broken, outputs="logits"), answered, "random", str(tmp_path / "a"), **SMALL)
    assert list(tmp_path.iterdir()) == []
    assert len(calls) < 10


def test_no_seed_that_could_be_hunted(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    seen = {row.numpy().tobytes() for row in answered.batch(range(40)).inputs}
    probes = np.random.Generator(np.random.Philox(key=0)).random((16, 1, 8, 8), dtype=np.float32)
    seen |= {row.tobytes() for row in probes}

    def shy(x: np.ndarray) -> np.ndarray:
        if not {row.tobytes() for row in x} <= seen:
            raise ValueError("who is this?")
        return tiny_model.observe(torch.from_numpy(x)).logits.numpy()

    with pytest.raises(InvalidModel, match=r"^no seed could be hunted; the first one: shy raised ValueError: who is"):
        hunt(BlackBox(shy, outputs="logits"), answered, SWARM, str(tmp_path / "a"), **SMALL)


def test_progress_tells_how_far_it_is(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    told: list[Progress] = []
    found = hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL, progress=told.append)
    assert told[0] == Progress(0, 9, Counts())
    assert (told[-1].seeds, told[-1].total) == (9, 9)
    assert told[-1].counts == next(iter(found.tallies.values())).counts()
    assert [one.seeds for one in told] == sorted(one.seeds for one in told)
    assert {one.seeds for one in told} == {0, 4, 8, 9}
    queries = [one.counts.queries for one in told]
    assert queries == sorted(queries)
    assert len(told) > 3 * 8, "every step is told"
    again: list[Progress] = []
    hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL, progress=again.append, resume=True)
    assert again == [told[-1]], "what is stored counts from the beginning"


def test_a_progress_that_breaks_is_not_blamed_on_the_seeds(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    def breaks(progress: Progress) -> None:
        if progress.counts.queries > 0:
            raise StopIteration("display is gone")

    with pytest.raises((StopIteration, RuntimeError), match=r"display is gone|StopIteration"):
        hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL, progress=breaks)
    assert not list((tmp_path / "a" / "shards").iterdir())


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize("steps", [1, 9, 17, 25])
def test_seconds_stop_and_the_rest_can_be_resumed(
    steps: int, tiny_model: TorchModule, answered: Examples, tmp_path: Path, files: Files, monkeypatch: Any
) -> None:
    hunt(tiny_model, answered, PGD, str(tmp_path / "whole"), **SMALL)
    clock, told = Clock(), list[Progress]()

    def progress(progress: Progress) -> None:
        told.append(progress)
        clock.now += 1

    monkeypatch.setattr("unnerve.studies.hunt.deadlines.time", clock)
    cut = hunt(tiny_model, answered, PGD, str(tmp_path / "cut"), **SMALL, seconds=steps + 0.5, progress=progress)
    assert len(told) == steps + 1, "it stops at the first pulse after its time"
    assert not cut.complete
    whole, kept = files("whole"), files("cut")
    assert kept.items() < whole.items(), "only whole shards are kept"
    assert len(kept) == told[-1].seeds // 4
    assert cut.summary()["complete"] is False
    assert cut.summary()["inputs"] == told[-1].seeds
    again = hunt(tiny_model, answered, PGD, str(tmp_path / "cut"), **SMALL, resume=True)
    assert again.complete
    assert files("cut") == whole


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_refuses_strange_times(seconds: float) -> None:
    with pytest.raises(InvalidSetting, match=r"^seconds must be > 0, got "):
        RunSettings(seconds=seconds)


class Watched:
    """An engine that says whether it was closed."""

    closed = False

    def run(
        self, work: CampaignRun, pending: Sequence[Shard], on_progress: OnProgress
    ) -> Generator[Counts, None, None]:
        try:
            yield from Local().run(work, pending, on_progress)
        finally:
            self.closed = True


def test_an_engine_is_closed_when_time_is_up(
    tiny_model: TorchModule, answered: Examples, tmp_path: Path, monkeypatch: Any
) -> None:
    engine, clock = Watched(), Clock()
    monkeypatch.setattr("unnerve.studies.hunt.deadlines.time", clock)

    def progress(progress: Progress) -> None:
        clock.now += 10 * (progress.seeds == 4)

    hunt(tiny_model, answered, PGD, str(tmp_path / "a"), **SMALL, seconds=5, engine=engine, progress=progress)
    assert engine.closed
