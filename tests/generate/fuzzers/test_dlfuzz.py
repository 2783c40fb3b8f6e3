from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import unnerve
from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Want
from unnerve.core.pools import Pool, PoolState
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers.dlfuzz import DLFuzz, _first_waiting
from unnerve.generate.regions.linf import Linf
from unnerve.measure.coverages.nc import relative_activity
from unnerve.subjects.adapters.torch_module import TorchModule

QUEUE = ("inputs", "roots", "taken")


class Slope(nn.Module):
    """Three classes in order of how bright an image of four values is."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 3)
        self.dense.weight.data = torch.tensor([[-2.0] * 4, [0.0] * 4, [2.0] * 4])
        self.dense.bias.data = torch.tensor([4.2, 0.3, -4.0])

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.dense(x)
        return answer


def pool(count: int = 2, value: float = 0.45) -> Pool:
    model = TorchModule(Slope(), "slope", outputs="logits")
    inputs = torch.full((count, 4), value)
    meter = Meter(count, None, shared=True)
    ids = tuple(map(str, range(count)))
    seeds = Seeds(Batch(inputs, torch.zeros(count, dtype=torch.int64), ids), model.observe(inputs))
    everyone = torch.ones(count, dtype=torch.bool)
    return Pool(Subject(Metered(model, meter)), seeds, Linf(0.3), Streams(0, ["pool"]), everyone)


def walked(given: Pool, hunter: DLFuzz, steps: int) -> tuple[list[Tensor], PoolState]:
    state = hunter.begin(given)
    found = []
    for step in range(steps):
        candidates = hunter.step(replace(given, step=step), state)
        if candidates is None:
            break
        found.append(candidates.inputs.clone())
    return found, state


def test_a_step_follows_the_gradient_of_the_objective() -> None:
    hunter = DLFuzz("r", neurons=1, classes=1, neuron_weight=0, length=0.02)
    (first,), state = walked(pool(), hunter, 1)
    # Class 0 is the answer and class 1 the next: 0.5 * 0 - (-2) = 2 for every value, all alike.
    assert torch.allclose(first, torch.full((2, 4), 0.47), atol=1e-4)
    assert state.tensors["classes"].tolist() == [[0, 1], [0, 1]]


def test_reaches_another_class_and_stays_in_the_region() -> None:
    given = pool()
    hunter = DLFuzz("r", neurons=1, classes=2, iterations=30, length=0.02)
    found, _ = walked(given, hunter, 30)
    assert float((torch.stack(found) - 0.45).abs().amax()) <= 0.3 + 1e-6
    assert bool((given.subject.model.model.observe(found[-1]).predicted != 0).all())


def test_a_network_of_few_neurons_has_all_of_them_chosen() -> None:
    found, state = walked(pool(), DLFuzz("2r", neurons=10), 2)
    assert len(found) == 2
    assert state.tensors["neurons"].shape == (2, 3), "slope has three"


def test_a_queue_of_nothing_new_ends_after_its_only_image() -> None:
    found, _ = walked(pool(), DLFuzz("r", neurons=1, iterations=3, gain=1.0), 10)
    assert len(found) == 3


def test_images_join_the_queue_if_they_are_new_and_near() -> None:
    near = DLFuzz("r", neurons=1, iterations=2, threshold=0.2, gain=0.0, distance=0.5)
    _, state = walked(pool(), near, 1)
    queue = Corpus(state, QUEUE)
    assert len(queue) == 3, "the first row covers what there is; the second adds nothing"
    assert queue["roots"].tolist() == [0, 1, 0]
    assert queue["taken"].tolist() == [True, True, False]
    _, far = walked(pool(), replace(near, distance=0.001), 1)
    assert len(Corpus(far, QUEUE)) == 2


def test_the_oldest_entry_of_each_seed_comes_first() -> None:
    columns = {"inputs": torch.zeros(5, 1), "roots": torch.tensor([0, 1, 0, 1, 0])}
    queue = Corpus.begun(**columns, taken=torch.tensor([True, False, False, False, False]))
    assert _first_waiting(queue, torch.tensor([0, 1])).tolist() == [2, 1]
    assert _first_waiting(queue, torch.tensor([1])).tolist() == [1]
    empty = Corpus.begun(**columns, taken=torch.ones(5, dtype=torch.bool))
    assert _first_waiting(empty, torch.tensor([0])).tolist() == [-1]


def test_a_step_costs_three_queries_and_an_image_one_more() -> None:
    given = pool()
    walked(given, DLFuzz("r", neurons=1, iterations=3, gain=1.0), 3)
    assert given.subject.model.meter.spent.tolist() == [1 + 3 * 3] * 2


def lenet_pool(count: int = 8) -> Pool:
    model, batch = unnerve.model("zoo:lenet1"), unnerve.examples("mnist5k").batch(range(count))
    everyone = torch.ones(count, dtype=torch.bool)
    subject = Subject(Metered(model, Meter(count, None, shared=True)))
    return Pool(subject, Seeds(batch, model.observe(batch.inputs)), Linf(0.2), Streams(0, ["pool"]), everyone)


def test_what_the_images_themselves_activate_decides_strategies_0_and_1_from_the_first_step() -> None:
    given = lenet_pool()
    neurons = {key: walked(given, DLFuzz(key), 1)[1].tensors["neurons"] for key in "01"}
    assert not torch.equal(neurons["0"], neurons["1"])
    model, x = given.subject.model, given.seeds.batch.inputs
    inner = model.model
    assert isinstance(inner, TorchModule)
    relative = relative_activity(inner.neuron_map(x[:1]), inner.observe(x, Want.RANGES))
    counts = (relative > 0.5).sum(dim=0)
    assert int((counts > 0).sum()) >= 10
    assert bool((counts[neurons["0"]] > 0).all()), "there are enough neurons that were activated"
    assert bool((counts[neurons["1"]] < counts.amax()).all())
    for chosen in neurons.values():
        assert not bool((chosen.sort(dim=1).values == torch.arange(10)).all(dim=1).any())


def test_a_checkpoint_without_counts_of_taken_images_goes_on() -> None:
    given, hunter = pool(), DLFuzz("0", neurons=2)
    _, state = walked(given, hunter, 1)
    del state.tensors["taken_counts"]
    state.tensors["steps"][:] = hunter.iterations
    Corpus(state, QUEUE)["taken"][:] = False
    assert hunter.step(replace(given, step=1), state) is not None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"strategies": "9"}, "strategies must be some of r, 0, 1, 2, 3, got '9'"),
        ({"strategies": ""}, "strategies must be some of"),
        ({"strategies": "00"}, "strategies must be some of"),
        ({"neurons": 0}, "neurons must be >= 1, got 0"),
        ({"gain": -1.0}, "gain must be >= 0, got -1.0"),
        ({"length": 0.0}, "length must be > 0, got 0.0"),
        ({"threshold": 1.0}, r"threshold must be in \[0, 1\), got 1.0"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        DLFuzz(**settings)
