import numpy as np
import pyarrow as pa
import pytest

from unnerve.campaign.inputs import stored_array, stored_inputs
from unnerve.core.errors import InvalidData

X = np.arange(24, dtype=np.float32).reshape(4, 2, 3)


def table(inputs: list[bytes], shapes: list[list[int]], dtypes: list[str]) -> pa.Table:
    return pa.table(
        {
            "input": pa.array(inputs, pa.binary()),
            "shape": pa.array(shapes, pa.list_(pa.int64())),
            "dtype": pa.array(dtypes, pa.string()),
        }
    )


def stored(count: int = 4) -> pa.Table:
    return table([row.tobytes() for row in X[:count]], [[2, 3]] * count, ["float32"] * count)


def test_all_rows_at_once_are_the_same_as_one_by_one() -> None:
    whole = stored()
    by_row = [stored_array(row["input"], row["shape"], row["dtype"]) for row in whole.to_pylist()]
    assert np.array_equal(stored_inputs(whole), by_row)
    assert np.array_equal(by_row, X)


def test_parts_of_tables_are_read_where_they_lie() -> None:
    whole = stored()
    assert np.array_equal(stored_inputs(whole.slice(1, 2)), X[1:3])
    assert np.array_equal(stored_inputs(whole.to_batches(3)[1]), X[3:])
    assert np.array_equal(
        stored_inputs(pa.concat_tables([whole.slice(2), whole.slice(0, 0), whole])), X[[2, 3, 0, 1, 2, 3]]
    )
    assert np.array_equal(stored_inputs(whole.take(pa.array([3, 0]))), X[[3, 0]])


@pytest.mark.parametrize(
    ("inputs", "shapes", "dtypes", "rule"),
    [
        ([b"\0" * 8, b"\0" * 8], [[2], [2]], ["float32", "int64"], "must be float32, got 'int64'"),
        ([b"\0" * 8, b"\0" * 8], [[2], [1, 2]], ["float32", "float32"], "must be of one shape"),
        ([b"\0" * 8, b"\0" * 16], [[2], [4]], ["float32", "float32"], "must be of one shape"),
        ([b"\0" * 8, b"\0" * 8], [[-1, -2], [-1, -2]], ["float32", "float32"], "must be of one shape"),
        ([b"\0" * 4, b"\0" * 12], [[2], [2]], ["float32", "float32"], "as many numbers as their shape says"),
        ([b"\0" * 8, None], [[2], [2]], ["float32", "float32"], "as many numbers as their shape says"),
    ],
)
def test_nonsense_is_refused(inputs: list[bytes], shapes: list[list[int]], dtypes: list[str], rule: str) -> None:
    with pytest.raises(InvalidData, match=rf"^stored inputs must be {rule}$|^stored inputs {rule}$"):
        stored_inputs(table(inputs, shapes, dtypes))
