from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting


class Array:
    """Rows of an array that remember how often they were read."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.read_rows: list[list[int]] = []

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        self.read_rows.append(list(rows))
        return np.asarray(self.array[np.asarray(rows)])


def examples(array: Any, **more: Any) -> Examples:
    return Examples("mine", Array(np.asarray(array)), **more)


def floats(count: int = 5) -> np.ndarray:
    return np.arange(count, dtype=np.float32).repeat(4).reshape(count, 1, 2, 2) / 10


def test_bytes_become_shares_of_255() -> None:
    batch = examples(np.array([[[[0, 51]]], [[[255, 1]]]], dtype=np.uint8)).batch(range(2))
    assert batch.inputs.dtype == torch.float32
    assert batch.inputs.flatten().tolist() == pytest.approx([0, 0.2, 1, 1 / 255])


def test_floats_are_taken_as_they_are() -> None:
    assert np.array_equal(examples(floats()).batch([3, 1]).inputs.numpy(), floats()[[3, 1]])


def test_values_keep_their_range_or_are_brought_to_another() -> None:
    data = examples(np.array([[-1.0], [0.0], [1.0]]), value_range=(-1.0, 1.0))
    assert data.batch(range(3)).inputs.flatten().tolist() == [-1, 0, 1]
    for held, expected in (((0.0, 1.0), [0, 0.5, 1]), ((0.0, 255.0), [0, 127.5, 255]), ((-1.0, 1.0), [-1, 0, 1])):
        batch = data.brought_to((0.0, 10.0)).brought_to(held).batch(range(3))
        assert batch.inputs.flatten().tolist() == expected
        assert batch.value_range == held


def test_bytes_are_brought_to_another_range() -> None:
    data = examples(np.array([[0], [51], [255]], dtype=np.uint8)).brought_to((-1.0, 1.0))
    assert data.batch(range(3)).inputs.flatten().tolist() == pytest.approx([-1, -0.6, 1])


def test_what_is_brought_to_another_range_is_checked_as_it_is_stored() -> None:
    data = examples(np.array([[-1.0], [1.5]]), value_range=(-1.0, 1.0)).brought_to((0.0, 1.0))
    with pytest.raises(InvalidData, match=r"inputs must lie in \[-1, 1\], got values from -1 to 1.5"):
        data.batch(range(2))


def test_bounds_are_rounded_as_the_inputs_are() -> None:
    least, most = np.float32(-0.42421296), np.float32(2.8214867)
    data = examples(np.array([[least, most]]), value_range=(-0.42421296, 2.8214867))
    assert data.batch([0]).inputs[0].tolist() == [least, most]


def test_labels_ids_and_length() -> None:
    data = examples(floats(), labels=np.array([4, 3, 2, 1, 0]), classes=tuple("abcde"))
    batch = data.batch([3, 1])
    assert (len(data), data.shape, len(batch)) == (5, (1, 2, 2), 2)
    assert batch.labels is not None
    assert batch.labels.dtype == torch.int64
    assert batch.labels.tolist() == [1, 3]
    assert batch.ids == ("3", "1")
    assert data.ids() == ("0", "1", "2", "3", "4")


def test_without_labels() -> None:
    assert examples(floats()).batch([0]).labels is None
    assert examples(floats()).label_array() is None


def test_own_names() -> None:
    data = examples(floats(3), names=["x.png", "y.png", "z.png"])
    assert data.ids([2, 0]) == ("z.png", "x.png")
    assert data.take([1]).ids() == ("y.png",)


def test_take_keeps_ids_and_labels() -> None:
    data = examples(floats(), labels=np.array([4, 3, 2, 1, 0])).take([4, 0, 2])
    assert data.ids() == ("4", "0", "2")
    assert data.label_array() is not None
    assert np.array_equal(np.asarray(data.label_array()), [0, 4, 2])
    assert data.batch([1]).inputs.flatten()[0] == 0
    again = data.take([2, 0])
    assert again.ids() == ("2", "4")
    assert again.batch(range(2)).labels is not None
    assert again.batch(range(2)).inputs[:, 0, 0, 0].tolist() == pytest.approx([0.2, 0.4])


def test_take_reads_nothing() -> None:
    data = examples(floats())
    data.take([1]).first(1)
    assert isinstance(data.source, Array)
    assert data.source.read_rows == []


def test_first() -> None:
    data = examples(floats())
    assert data.first(2).ids() == ("0", "1")
    assert len(data.first(99)) == 5
    assert data.first(None) is data


@pytest.mark.parametrize("count", [0, -3])
def test_first_refuses_nothing(count: int) -> None:
    with pytest.raises(InvalidSetting, match=f"number of inputs must be >= 1, got {count}"):
        examples(floats()).first(count)


def test_batches_read_every_row_once_and_in_order() -> None:
    data = examples(floats(), labels=np.arange(5))
    batches = list(data.batches(2))
    assert [len(batch) for batch in batches] == [2, 2, 1]
    assert [name for batch in batches for name in batch.ids] == list("01234")
    assert isinstance(data.source, Array)
    assert data.source.read_rows == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_refuses_what_is_not_a_number(wrong: float) -> None:
    array = floats()
    array[2, 0, 1, 1] = wrong
    data = examples(array)
    data.batch([0, 1])
    with pytest.raises(InvalidData, match=r"^mine: inputs must be finite numbers, got NaN or infinity in input 2$"):
        data.batch(range(5))


def test_what_is_not_a_number_is_named_by_its_id() -> None:
    array = floats()
    array[3, 0, 1, 1] = np.nan
    data = examples(array, names=("v.png", "w.png", "x.png", "y.png", "z.png"))
    for rows in (range(5), [4, 3], [3]):
        with pytest.raises(InvalidData, match=r" got NaN or infinity in input y\.png$"):
            data.batch(rows)
    with pytest.raises(InvalidData, match=r" got NaN or infinity in input 3$"):
        examples(array).take([4, 3]).batch([0, 1])


@pytest.mark.parametrize("wrong", [-0.5, 255.0])
def test_refuses_values_out_of_range_and_says_what_to_do(wrong: float) -> None:
    array = floats()
    array[2, 0, 1, 1] = wrong
    with pytest.raises(
        InvalidData, match=rf"inputs must lie in \[0, 1\], got values from .*{wrong:.4g}.*`stored_range`"
    ):
        examples(array).batch(range(5))


def test_another_value_range() -> None:
    assert examples(np.array([[-1.0, 1.0]]), value_range=(-1.0, 1.0)).batch([0]).inputs.tolist() == [[-1, 1]]


def test_refuses_no_data() -> None:
    with pytest.raises(InvalidData, match=r"^mine: the data set is empty$"):
        examples(floats(0))
    with pytest.raises(InvalidData, match=r"^mine: the data set is empty$"):
        examples(floats()).take([])


def test_refuses_another_number_of_labels() -> None:
    with pytest.raises(InvalidData, match=r"^mine: 5 inputs but 4 labels$"):
        examples(floats(), labels=np.arange(4))


@pytest.mark.parametrize("wrong", [-1, 3])
def test_refuses_labels_outside_the_classes(wrong: int) -> None:
    with pytest.raises(InvalidData, match=rf"labels must be in \[0, 2\], got {wrong}"):
        examples(floats(), labels=np.array([0, 1, 2, wrong, 0]), classes=tuple("abc"))


def test_the_fingerprint_knows_inputs_and_labels() -> None:
    def fingerprint(array: np.ndarray, labels: np.ndarray | None) -> str:
        return examples(array, labels=labels).fingerprint

    changed = floats()
    changed[4, 0, 1, 1] += 1e-6
    prints = [
        fingerprint(floats(), np.arange(5)),
        fingerprint(changed, np.arange(5)),
        fingerprint(floats()[::-1], np.arange(5)),
        fingerprint(floats(), np.arange(5)[::-1]),
        fingerprint(floats(), None),
        fingerprint(floats(4), np.arange(4)),
    ]
    assert len(set(prints)) == len(prints)
    assert fingerprint(floats(), np.arange(5)) == prints[0]


def test_a_data_loader_takes_them() -> None:
    array = np.arange(10, dtype=np.float32).reshape(5, 2) / 10
    labelled = examples(array, labels=np.arange(5))
    batches = list(DataLoader(labelled, batch_size=2))  # type: ignore[arg-type]
    assert torch.equal(torch.cat([inputs for inputs, _ in batches]), torch.from_numpy(array))
    assert torch.cat([labels for _, labels in batches]).tolist() == [0, 1, 2, 3, 4]
    assert labelled.source.read_rows[:3] == [[0, 1], [2, 3], [4]], "a batch is read at once"  # type: ignore[attr-defined]
    (alone,) = DataLoader(examples(array), batch_size=5)  # type: ignore[arg-type]
    assert torch.equal(alone, torch.from_numpy(array))


def test_rows_that_do_not_exist_end_a_loop() -> None:
    assert [label for _, label in examples([[0.0], [1.0]], labels=np.array([4, 2]))] == [4, 2]  # type: ignore[attr-defined]
    with pytest.raises(IndexError, match=r"rows must be in \[0, 1\]"):
        examples([[0.0], [1.0]])[-1]
    with pytest.raises(TypeError, match=r"rows must be whole numbers, got \[slice"):
        examples([[0.0], [1.0]])[0:1]  # type: ignore[index]
