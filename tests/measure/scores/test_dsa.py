import numpy as np
import pytest
import torch
from dnn_tip import surprise

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.dsa import dsa


def test_by_hand() -> None:
    # Class 0 at 0 and 4, class 1 at 10. An input at 5 that is answered 0 is 1 from 4, which is 6 from 10.
    traces = Traces(torch.tensor([[0.0], [4.0], [10.0]]), torch.tensor([0, 0, 1]))
    rows, predicted = torch.tensor([[5.0], [0.0], [7.0], [7.0]]), torch.tensor([0, 0, 0, 1])
    assert dsa(rows, predicted, traces).tolist() == pytest.approx([1 / 6, 0, 3 / 6, 3 / 6])


def test_equals_dnn_tip() -> None:
    train, test = (
        Streams(0, map(str, range(90))).normal(0, 0, (12,)),
        Streams(1, map(str, range(40))).normal(0, 0, (12,)),
    )
    answers, asked = torch.arange(90) % 3, torch.arange(40) % 3
    theirs = surprise.DSA(train.numpy(), answers.numpy(), subsampling=1.0)(test.numpy(), asked.numpy())
    assert dsa(test, asked, Traces(train, answers)).numpy() == pytest.approx(np.asarray(theirs), rel=1e-5)


def test_many_points_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    train, test = Streams(0, map(str, range(50))).normal(0, 0, (5,)), Streams(1, map(str, range(9))).normal(0, 0, (5,))
    answers, asked = torch.arange(50) % 2, torch.arange(9) % 2
    whole = dsa(test, asked, Traces(train, answers))
    monkeypatch.setattr("unnerve.measure.scores.dsa._COLUMNS", 7)
    assert torch.equal(dsa(test, asked, Traces(train, answers)), whole)


def test_unknown_classes_are_refused() -> None:
    with pytest.raises(InvalidData, match="answered as class 2, got 0"):
        dsa(torch.zeros(1, 1), torch.tensor([2]), Traces(torch.zeros(2, 1), torch.tensor([0, 1])))
    with pytest.raises(InvalidData, match="of other classes than 0, got none"):
        dsa(torch.zeros(1, 1), torch.tensor([0]), Traces(torch.zeros(2, 1), torch.tensor([0, 0])))
