"""Data sets that Hugging Face's library saved, read without it."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import unnerve
from tests.subjects.datasets.saved import NAMES, PIXELS, saved, saved_images, saved_splits
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.subjects.datasets.hf import hf

ARRAYS = np.random.default_rng(1).random((6, 2, 3, 4)).astype(np.float32)


def test_images_with_names_of_classes(tmp_path: Path) -> None:
    found = hf(saved_images(tmp_path / "a", files=3))
    assert (found.shape, found.classes, len(found)) == ((1, 6, 5), tuple(NAMES), 7)
    assert found.label_array() is not None
    assert found.label_array().tolist() == [0, 1, 2, 0, 1, 2, 0]  # type: ignore[union-attr]
    read = found.batch([6, 2, 3]).inputs.numpy()
    assert np.array_equal(np.rint(read * 255).astype(np.uint8), PIXELS[[6, 2, 3], None])


def test_a_folder_is_recognised_and_images_are_resized(tmp_path: Path) -> None:
    folder = saved_images(tmp_path / "a")
    found = unnerve.examples(f"{folder},size=4,grey=false", limit=2)
    assert (found.shape, len(found)) == ((3, 4, 4), 2)
    assert unnerve.examples(str(folder)).shape == (1, 6, 5)


def test_splits(tmp_path: Path) -> None:
    folder = saved_splits(tmp_path / "a", train=6, test=4)
    assert len(hf(folder)) == 4, "test by default"
    assert len(hf(folder, split="train")) == 6
    with pytest.raises(InvalidSetting, match=r"`split` must be one of train, test, the splits of .*, got 'dev'"):
        hf(folder, split="dev")
    with pytest.raises(InvalidSetting, match="holds one data set without splits"):
        hf(folder / "train", split="test")


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_arrays_in_nested_lists(tmp_path: Path, kind: pa.DataType) -> None:
    cells = pa.array(ARRAYS.tolist(), pa.list_(pa.list_(pa.list_(kind))))
    found = hf(saved(tmp_path / "a", {"pixel_values": cells, "labels": list("abcabc")}, {}, files=2))
    assert (found.shape, found.classes) == ((2, 3, 4), ("a", "b", "c"))
    assert np.array_equal(found.batch([5, 0, 3]).inputs.numpy(), ARRAYS[[5, 0, 3]])


def test_scalars_are_a_table(tmp_path: Path) -> None:
    features = {"risk": {"names": ["low", "high"], "_type": "ClassLabel"}}
    found = hf(saved(tmp_path / "a", {"age": [20, 30, 40], "income": [1.0, 2.5, 3.0], "risk": [0, 1, 0]}, features))
    assert found.features is not None
    assert (found.features.names, found.classes) == (("age", "income"), ("low", "high"))
    assert hf(tmp_path / "a", label="none").features.names == ("age", "income", "risk")  # type: ignore[union-attr]


def test_a_model_can_be_ranked_on_it(tmp_path: Path) -> None:
    ranking = unnerve.rank(lambda x: np.tile([0.5, 0.3, 0.2], (len(x), 1)), str(saved_images(tmp_path / "a")))
    assert ranking.accuracy.right == 3


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="hf: must be a folder that save_to_disk wrote, got 'bert'; nothing is down"):
        hf("bert")
    folder = saved_images(tmp_path / "a")
    with pytest.raises(UnknownName, match=r"unknown column of .* 'colour'; known: image, label"):
        hf(folder, label="colour")
    uneven = pa.array([[1.0, 2.0], [1.0]])
    with pytest.raises(InvalidData, match="arrays must all have one shape, got lists of 1 and of 2"):
        hf(saved(tmp_path / "b", {"x": uneven}, {}))
    with pytest.raises(InvalidData, match="inputs must be uint8 or floating point, got int64"):
        hf(saved(tmp_path / "c", {"x": pa.array([[1, 2], [3, 4]])}, {}))
    with pytest.raises(InvalidData, match="every input must have a label, got 1 empty cells"):
        hf(saved(tmp_path / "d", {"x": pa.array([[0.1], [0.2]]), "y": pa.array([0, None])}, {}))
    two = {"left": pa.array([[0.1]]), "right": pa.array([[0.1]])}
    with pytest.raises(InvalidData, match=r"one column of images or arrays must be called x, .* got left, right"):
        hf(saved(tmp_path / "e", two, {}))


def test_damaged_and_hostile_folders(tmp_path: Path) -> None:
    folder = saved_images(tmp_path / "a")
    data = folder / "data-00000-of-00001.arrow"
    data.write_bytes(data.read_bytes()[:200])
    with pytest.raises(InvalidData, match="must be an Arrow file, and not damaged"):
        hf(folder)
    data.unlink()
    with pytest.raises(InvalidData, match="must be a file of the data set, found none"):
        hf(folder)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "../../secret.arrow"}]}))
    with pytest.raises(InvalidData, match="names must lie inside the folder"):
        hf(folder)
    (folder / "state.json").write_text("{")
    with pytest.raises(InvalidData, match=r"state\.json: must be JSON, and not damaged"):
        hf(folder)
