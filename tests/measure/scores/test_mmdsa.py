import numpy as np
import pytest
import torch
from dnn_tip import surprise
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.mmdsa import mmdsa


def heaps(count: int, seed: int) -> Tensor:
    """Return points (count, 4), in turn from three heaps that lie far apart in different directions."""
    spread = Streams(seed, map(str, range(count))).normal(0, 0, (4,)) * torch.tensor([1.0, 2.0, 0.5, 1.0])
    return (spread + 50 * torch.eye(4)[torch.arange(count) % 3]).double()


def nothing(count: int) -> Tensor:
    return torch.zeros(count, dtype=torch.int64)


def test_by_hand() -> None:
    # Two clusters, around (0, 0) with variances 4 and 1 and around (100, 0) with 1 and 1.
    wide = torch.tensor([[-2.0, -1.0], [-2.0, 1.0], [2.0, -1.0], [2.0, 1.0]]).repeat(10, 1)
    narrow = torch.tensor([[99.0, -1.0], [99.0, 1.0], [101.0, -1.0], [101.0, 1.0]]).repeat(10, 1)
    rows = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0], [103.0, 0.0]])
    found = mmdsa(rows, Traces(torch.cat([wide, narrow]), nothing(80)))
    assert found.tolist() == pytest.approx([0, 1, 3, 3])


def test_equals_dnn_tip() -> None:
    train, test = heaps(240, 0), heaps(30, 1)
    theirs = surprise.MultiModalSA.build_with_kmeans(
        train.numpy(), None, lambda a, p: surprise.MDSA(a), potential_k=range(2, 6), subsampling=0.3
    )
    wanted = np.sqrt(np.asarray(theirs(test.numpy(), None)))
    assert mmdsa(test, Traces(train, nothing(240))).numpy() == pytest.approx(wanted, rel=1e-6)


def test_a_cluster_is_the_same_however_few_inputs_are_asked_about() -> None:
    traces = Traces(heaps(90, 0), nothing(90))
    together = mmdsa(heaps(12, 1), traces)
    assert torch.allclose(mmdsa(heaps(12, 1)[4:5], Traces(heaps(90, 0), nothing(90))), together[4:5])


def test_too_little_is_refused() -> None:
    with pytest.raises(InvalidData, match="mmdsa needs >= 20 reference inputs, got 19"):
        mmdsa(torch.zeros(1, 1), Traces(torch.rand(19, 1), nothing(19)))
    with pytest.raises(InvalidData, match="mmdsa needs neurons that vary"):
        mmdsa(torch.zeros(1, 1), Traces(torch.zeros(30, 1), nothing(30)))
