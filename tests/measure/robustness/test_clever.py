from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.measure.robustness.clever import Clever
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.scene import small_data, tiny_model

QUICK = Clever(radius=1.0, batches=10, samples=16)


def linear(weights: Tensor, bias: Tensor) -> TorchModule:
    layer = nn.Linear(weights.shape[1], len(weights))
    layer.weight.data, layer.bias.data = weights, bias
    return TorchModule(layer, "linear", outputs="logits")


def batch(x: Tensor) -> Batch:
    return Batch(x, None, tuple(map(str, range(len(x)))))


@pytest.mark.parametrize(("norm", "order"), [("l2", 2.0), ("linf", 1.0), ("l1", float("inf"))])
def test_equals_the_distance_to_the_border_of_a_linear_model(norm: str, order: float) -> None:
    generator = torch.Generator().manual_seed(0)
    weights, bias = torch.randn(4, 6, generator=generator), torch.randn(4, generator=generator)
    x = torch.rand(5, 6, generator=generator)
    found = replace(QUICK, norm=norm, radius=100.0).scores(linear(weights, bias), batch(x))
    logits = x @ weights.T + bias
    for row in range(5):
        own = int(logits[row].argmax())
        distances = {
            other: float(logits[row, own] - logits[row, other])
            / float(torch.linalg.vector_norm(weights[own] - weights[other], ord=order))
            for other in range(4)
            if other != own
        }
        assert float(found.score[row]) == pytest.approx(min(distances.values()), rel=1e-4)
        assert int(found.target[row]) == min(distances, key=lambda other: distances[other])
        assert int(found.predicted[row]) == own
    assert found.error.tolist() == pytest.approx([0] * 5, abs=1e-6)


def test_a_class_that_is_given_is_the_only_target() -> None:
    generator = torch.Generator().manual_seed(0)
    weights, bias = torch.randn(4, 6, generator=generator), torch.randn(4, generator=generator)
    x = torch.rand(40, 6, generator=generator)
    found = replace(QUICK, radius=100.0, targets=2).scores(linear(weights, bias), batch(x))
    logits = x @ weights.T + bias
    own = logits.argmax(dim=1)
    distances = (logits.max(dim=1).values - logits[:, 2]) / (weights[own] - weights[2]).norm(dim=1)
    there = own == 2
    assert 0 < int(there.sum()) < 40
    assert found.score[~there].tolist() == pytest.approx(distances[~there].tolist(), rel=1e-4)
    assert found.target.tolist() == [2] * 40
    # The model answers with that class already: there is no distance to it.
    assert all(bool(one[there].isnan().all()) for one in (found.score, found.error, found.fit))
    with pytest.raises(InvalidSetting, match="targets must be < 4, the model's number of classes, got 4"):
        replace(QUICK, targets=4).scores(linear(weights, bias), batch(x))


def test_never_exceeds_the_radius() -> None:
    model = linear(torch.tensor([[1e-6, 0.0], [0.0, 0.0]]), torch.tensor([1.0, 0.0]))
    assert QUICK.scores(model, batch(torch.zeros(1, 2))).score.tolist() == [1.0]


def test_one_target_gives_at_least_the_score_of_all() -> None:
    x = small_data().batch(range(6))
    scores = {targets: replace(QUICK, targets=targets).scores(tiny_model(), x) for targets in ("all", "top2", "least")}
    assert bool((scores["all"].score <= scores["top2"].score + 1e-9).all())
    assert bool((scores["all"].score <= scores["least"].score + 1e-9).all())
    logits = tiny_model().observe(x.inputs).logits
    assert torch.equal(scores["least"].target, logits.argmin(dim=1))
    random = replace(QUICK, targets="random").scores(tiny_model(), x)
    assert bool((random.target != random.predicted).all())


def test_an_input_has_the_same_score_alone_and_in_company() -> None:
    x = small_data()
    together = QUICK.scores(tiny_model(), x.batch([3, 8, 20]))
    alone = QUICK.scores(tiny_model(), x.batch([8]))
    assert float(together.score[1]) == pytest.approx(float(alone.score[0]), rel=1e-6)


def test_the_standard_error_says_how_far_seeds_differ() -> None:
    x = small_data().batch(range(8))
    runs = [replace(QUICK, batches=20, seed=seed).scores(tiny_model(), x) for seed in range(8)]
    spread = torch.stack([run.score for run in runs]).std(dim=0)
    stated = torch.stack([run.error for run in runs]).mean(dim=0)
    assert 0.2 < float(stated.mean() / spread.mean().clamp_min(1e-12)) < 5


def test_agrees_with_art() -> None:
    art = pytest.importorskip("art.metrics")
    from art.estimators.classification import PyTorchClassifier

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3)).eval()
    x = torch.rand(3, 8, generator=torch.Generator().manual_seed(1))
    theirs = PyTorchClassifier(net, nn.CrossEntropyLoss(), (8,), 3, clip_values=(0.0, 1.0))
    found = Clever(radius=1.0, batches=50, samples=64).scores(TorchModule(net, "net", outputs="logits"), batch(x))
    for row in range(3):
        np.random.seed(0)  # noqa: NPY002 - of ART
        value = art.clever_u(theirs, x[row].numpy(), 50, 64, 1.0, norm=2, pool_factor=10, verbose=False)
        assert float(found.score[row]) == pytest.approx(float(value), rel=0.1)


def test_needs_gradients() -> None:
    with pytest.raises(InvalidModel, match="clever needs gradients"):
        QUICK.scores(BlackBox(lambda x: x, "box"), batch(torch.zeros(1, 2)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"norm": "l3"}, "norm must be l1 or l2 or linf, got 'l3'"),
        ({"radius": 0.0}, "radius must be > 0, got 0.0"),
        ({"batches": 9}, "batches must be >= 10, got 9"),
        ({"samples": 0}, "samples must be >= 1, got 0"),
        ({"targets": "best"}, "targets must be all or top2 or random or least or the number of a class, got 'best'"),
        ({"targets": -1}, "or the number of a class, got '-1'"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        Clever(**settings)
