import numpy as np
import pytest
from sklearn.datasets import load_digits

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets import _packaged
from unnerve.subjects.datasets.digits import digits


def test_are_those_of_scikit_learn() -> None:
    ours, theirs = digits(), load_digits()
    batch = ours.batch(range(len(ours)))
    assert ours.shape == (1, 8, 8)
    assert batch.labels is not None
    pairs = np.column_stack([batch.inputs.flatten(1).numpy() * 16, batch.labels.numpy()])
    expected = np.column_stack([theirs.data, theirs.target])
    assert np.array_equal(np.sort(pairs.T.copy(), axis=1), np.sort(expected.T, axis=1))
    assert {row.tobytes() for row in pairs.astype(np.uint8)} == {row.tobytes() for row in expected.astype(np.uint8)}


def test_the_order_is_shuffled_and_fixed() -> None:
    labels = digits().label_array()
    assert labels is not None
    assert labels[:12].tolist() == [7, 1, 2, 0, 1, 3, 5, 7, 5, 0, 0, 8]


def test_train_and_test_share_nothing() -> None:
    everything, train, test = digits(), digits("train"), digits("test")
    assert (len(everything), len(train), len(test)) == (1797, 1437, 360)
    assert train.ids() + test.ids() == everything.ids()


def test_refuses_an_unknown_split() -> None:
    with pytest.raises(InvalidSetting, match="split must be all, train or test, got 'x'"):
        digits("x")


def test_says_when_the_file_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_packaged, "find_spec", lambda name: None)
    with pytest.raises(InvalidData, match=r"scikit-learn must carry .*digits\.csv\.gz"):
        digits()
