"""Features of seeds and findings, beside the shards."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.reports.campaigns import Hunted
from unnerve.campaign.features import finding_key, read_features, seed_key, write_features
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets.tensors import tensors

KEYS = (seed_key("7"), finding_key("7"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Hunted().campaign(tmp_path / "a").store


def features(values: list[list[float]]) -> Examples:
    return Examples("features", tensors(torch.tensor(values)).source, names=KEYS, value_range=(-9.0, 9.0))


def test_seeds_and_findings_of_one_name_are_told_apart(store: Store) -> None:
    assert read_features(store, KEYS) is None
    write_features(store, "fc", features([[1.0, -2.0], [3.0, 4.0]]))
    stored = read_features(store, KEYS)
    assert stored is not None
    assert stored.layer == "fc"
    np.testing.assert_array_equal(stored.rows[KEYS[0]], [1, -2])
    np.testing.assert_array_equal(stored.rows[KEYS[1]], [3, 4])
    some = read_features(store, [KEYS[1], "another"])
    assert some is not None
    assert set(some.rows) == {KEYS[1]}


def test_a_file_that_was_not_written_so_is_refused(store: Store) -> None:
    write_features(store, "fc", features([[1.0, -2.0], [3.0, 4.0]]))
    file = Path(store.path) / "features.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(InvalidData, match=r"features.parquet cannot be read: it is not what was written"):
        read_features(store, KEYS)
    file.unlink()
    with pytest.raises(InvalidData, match="makes it again"):
        read_features(store, KEYS)
