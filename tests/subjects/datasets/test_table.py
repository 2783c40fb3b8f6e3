from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from unnerve.core.data.features import Feature, Features
from unnerve.core.errors import InvalidData
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.table import table

COLUMNS: dict[str, Any] = {"age": [30, 50], "income": [1.5, 2.5], "label": ["no", "yes"]}


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pa.table(COLUMNS), COLUMNS])
def test_takes_tables(frame: Any) -> None:
    found = examples(frame)
    assert found.features is not None
    assert found.features.names == ("age", "income")
    assert found.classes == ("no", "yes")
    assert found.batch([1]).inputs.tolist() == [[50, 2.5]]


def test_labels_may_be_elsewhere() -> None:
    frame = pd.DataFrame({"a": [0.5, 1.5], "label": [7, 8]}, index=["x", "y"])
    for labels in (pd.Series(["no", "yes"]), ["no", "yes"], np.array(["no", "yes"])):
        found = examples((frame, labels))
        assert found.classes == ("no", "yes")
        assert found.shape == (2,), "a column called label is then a feature like others"
    assert found.ids() == ("x", "y")
    assert np.array_equal(examples(frame, label="label").label_array(), [7, 8])  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match="2 inputs but 3 labels"):
        examples((frame, [0, 1, 0]))


def test_categorical_columns_keep_their_order() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "size": pd.Categorical(["small", "large"], ["small", "large"])})
    found = table(frame)
    assert found.features is not None
    assert found.features.columns[1] == Feature("size", "category", 0, 1, 0, ("small", "large"))
    assert found.batch(range(2)).inputs[:, 1].tolist() == [0, 1]


def test_missing_cells_are_named() -> None:
    with pytest.raises(InvalidData, match="table: cells must not be empty, got none in row 2, column 'b'"):
        examples(pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]}))


def test_scikit_learns_own_sets() -> None:
    from sklearn.datasets import load_iris

    for bunch in (load_iris(), load_iris(as_frame=True)):
        found = examples(bunch)
        assert found.features is not None
        assert found.features.names[0] == "sepal length (cm)"
        assert found.classes == ("setosa", "versicolor", "virginica")
        assert len(found) == 150
        assert found.value_range == pytest.approx((0.1, 7.9))


def test_features_survive_json() -> None:
    found = table(COLUMNS).features
    assert found is not None
    assert Features.from_json(found.to_json()) == found
    with pytest.raises(TypeError, match="a feature must have a name, a kind"):
        Features.from_json([{"name": "a", "kind": "magic", "values": []}])


def test_a_constant_column_does_not_change() -> None:
    found = table({"a": [1.0, 1.0], "b": [1.0, 2.0]}).features
    assert found is not None
    assert [one.changes for one in found.columns] == [False, True]
    assert table({"a": [5.0, 5.0]}).value_range == (5, 6)
