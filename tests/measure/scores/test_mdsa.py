import numpy as np
import pytest
import torch
from dnn_tip import surprise

from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.mdsa import mdsa


def test_by_hand() -> None:
    # Variance 4 along the first axis, 1 along the second.
    points = torch.tensor([[-2.0, -1.0], [-2.0, 1.0], [2.0, -1.0], [2.0, 1.0]])
    traces = Traces(points, torch.zeros(4, dtype=torch.int64))
    rows = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    assert mdsa(rows, torch.zeros(3, dtype=torch.int64), traces).tolist() == pytest.approx([0, 1, 3])


def test_equals_dnn_tip_also_where_neurons_depend_on_each_other() -> None:
    train, test = Streams(0, map(str, range(90))).normal(0, 0, (5,)), Streams(1, map(str, range(20))).normal(0, 0, (5,))
    train, test = (torch.cat([one, one[:, :2].sum(dim=1, keepdim=True)], dim=1).double() for one in (train, test))
    answers, asked = torch.arange(90) % 2, torch.arange(20) % 2
    theirs = surprise.MultiModalSA.build_by_class(train.numpy(), answers.numpy(), lambda a, p: surprise.MDSA(a))
    wanted = np.sqrt(np.asarray(theirs(test.numpy(), asked.numpy())))
    assert mdsa(test, asked, Traces(train, answers)).numpy() == pytest.approx(wanted, rel=1e-4)
