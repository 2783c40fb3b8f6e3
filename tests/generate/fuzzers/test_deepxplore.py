from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.generate.fuzzers.ramp import Ramp
from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.pools import Pool
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.fuzzers.deepxplore import DeepXplore, _uncovered
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule


def pool(count: int = 3, peers: tuple[float, ...] = ()) -> Pool:
    model = TorchModule(Ramp(0.5), "ramp", outputs="logits")
    inputs = torch.full((count, 1, 4, 4), 0.7)
    meter = Meter(count, None, shared=True)
    seeds = Seeds(
        Batch(inputs, torch.zeros(count, dtype=torch.int64), tuple(map(str, range(count)))), model.observe(inputs)
    )
    others = tuple(Metered(TorchModule(Ramp(border), "peer", outputs="logits"), meter) for border in peers)
    everyone = torch.ones(count, dtype=torch.bool)
    return Pool(Subject(Metered(model, meter), Context(peers=others)), seeds, Linf(0.4), Streams(0, ["pool"]), everyone)


def walked(given: Pool, hunter: DeepXplore, steps: int) -> tuple[list[Tensor], dict[str, Tensor]]:
    state = hunter.begin(given)
    found = []
    for step in range(steps):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        found.append(candidates.inputs.clone())
    return found, state.tensors


def test_a_step_of_light_follows_the_gradient_of_the_logit() -> None:
    (first,), _ = walked(pool(), DeepXplore("light", length=0.05, coverage=0), 1)
    # The gradient of minus the logit is -1 everywhere, and so is its root mean square: a step of 0.05 darker.
    assert torch.allclose(first, torch.full((3, 1, 4, 4), 0.65), atol=1e-4)


def test_darkens_until_the_answer_changes_and_never_leaves_the_region() -> None:
    given = pool()
    found, _ = walked(given, DeepXplore("blackout", length=10, side=3), 40)
    lowest, highest = torch.stack(found).amin(), torch.stack(found).amax()
    assert float(lowest) >= 0.3 - 1e-6
    assert float(highest) <= 0.7 + 1e-6
    means = [float(one.mean()) for one in found]
    assert means == sorted(means, reverse=True)
    assert bool((given.subject.model.model.observe(found[-1]).predicted == 1).all())


def test_peers_pull_the_other_way_so_that_models_disagree() -> None:
    # Alone the model is driven down by 16 a step; a peer with the same gradient pulls up by as much.
    hunter = DeepXplore("light", length=0.05, coverage=0, difference=3.0)
    (first,), _ = walked(pool(peers=(0.5,)), hunter, 1)
    assert torch.allclose(first, torch.full((3, 1, 4, 4), 0.65), atol=1e-4)
    even = DeepXplore("light", length=0.05, coverage=0, difference=1.0)
    (still,), _ = walked(pool(peers=(0.5,)), even, 1)
    assert torch.allclose(still, torch.full((3, 1, 4, 4), 0.7), atol=1e-4)


def test_only_failing_inputs_cover_neurons() -> None:
    given, hunter = pool(), DeepXplore("light", length=0.05)
    _, early = walked(given, hunter, 2)
    assert not bool(early["covered0"].any())
    _, late = walked(given, hunter, 12)
    assert bool(late["covered0"].any())


def test_passes_of_peers_are_paid() -> None:
    given = pool(peers=(0.5, 0.6))
    walked(given, DeepXplore("light"), 2)
    assert int(given.subject.model.meter.spent.sum()) == 3 * 2 * 2 * 3, "seeds, steps, passes, models"


def test_neurons_are_drawn_among_the_uncovered() -> None:
    covered = torch.tensor([True, False, True, False])
    assert _uncovered(covered, torch.tensor([0.0, 0.49, 0.5, 0.99])).tolist() == [1, 1, 3, 3]
    assert _uncovered(torch.ones(4, dtype=torch.bool), torch.tensor([0.0, 0.99])).tolist() == [0, 3]


def test_ends_after_its_steps() -> None:
    given, hunter = pool(), DeepXplore("light", steps=2)
    state = hunter.begin(given)
    assert [hunter.step(replace(given, step=step), state) is None for step in range(3)] == [False, False, True]


def test_a_black_box_is_refused() -> None:
    given = pool()
    box = BlackBox(lambda x: x.reshape(len(x), -1)[:, :2], "box", "logits")
    with pytest.raises(InvalidModel, match="needs"):
        DeepXplore().begin(replace(given, subject=Subject(Metered(box, given.subject.model.meter))))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"constraint": "dark"}, "constraint must be light or occlusion or blackout, got 'dark'"),
        ({"steps": 0}, "steps must be >= 1, got 0"),
        ({"side": 0}, "side must be >= 1, got 0"),
        ({"coverage": -0.1}, "coverage must be >= 0, got -0.1"),
        ({"length": 0.0}, "length must be > 0, got 0.0"),
        ({"difference": 0.0}, "difference must be > 0, got 0.0"),
        ({"threshold": 1.0}, r"threshold must be in \[0, 1\), got 1.0"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        DeepXplore(**settings)
