import numpy as np
import pytest
import torch
from dnn_tip import surprise
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.mlsa import mlsa


def heaps(count: int, seed: int) -> Tensor:
    """Return points (count, 4), in turn from three heaps that lie far apart."""
    spread = Streams(seed, map(str, range(count))).normal(0, 0, (4,))
    return (spread + 30 * (torch.arange(count) % 3).unsqueeze(1)).double()


def test_by_hand() -> None:
    # Three heaps with two points each at a distance of one: a third of a normal law with that variance at its mean.
    points = torch.tensor([[-1.0], [1.0], [99.0], [101.0], [199.0], [201.0]])
    wanted = np.log(3) + 0.5 * np.log(2 * np.pi)
    traces = Traces(points, torch.zeros(6, dtype=torch.int64))
    found = mlsa(torch.tensor([[0.0], [100.0], [201.0]]), torch.zeros(3, dtype=torch.int64), traces)
    assert found.tolist() == pytest.approx([wanted, wanted, wanted + 0.5], abs=1e-4)


def test_equals_dnn_tip_by_class() -> None:
    train, test = heaps(240, 0), heaps(30, 1)
    answers, asked = torch.arange(240) // 3 % 2, torch.arange(30) // 3 % 2
    theirs = surprise.MultiModalSA.build_by_class(
        train.numpy(), answers.numpy(), lambda a, p: surprise.MLSA(a, num_components=3)
    )
    wanted = np.asarray(theirs(test.numpy(), asked.numpy()))
    assert mlsa(test, asked, Traces(train, answers)).numpy() == pytest.approx(wanted, rel=1e-6)


def test_too_little_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"surprise needs >= 3 reference inputs .* class 0, got 2"):
        mlsa(torch.zeros(1, 1), torch.tensor([0]), Traces(torch.zeros(2, 1), torch.tensor([0, 0])))


def test_neurons_that_never_move_do_no_harm() -> None:
    train = torch.cat([heaps(60, 0), torch.zeros(60, 2)], dim=1)
    found = mlsa(train[:5] + 0.1, torch.zeros(5, dtype=torch.int64), Traces(train, torch.zeros(60, dtype=torch.int64)))
    assert bool(torch.isfinite(found).all())
