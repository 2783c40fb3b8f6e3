from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.imagefolder import imagefolder


def _save(path: Path, mode: str = "RGB", size: tuple[int, int] = (12, 10), colour: Any = 0, **more: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, colour).save(path, **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(["b.png", "a.bmp", "c.webp"]):
        _save(tmp_path / "cat" / name, colour=(10 * number, 20, 30), lossless=True)
    _save(tmp_path / "ant" / "x.PNG", colour=(1, 2, 3))
    (tmp_path / "cat" / "notes.txt").write_text("no image")
    (tmp_path / ".hidden").mkdir()
    return tmp_path


def test_reads_classes_in_the_order_of_their_names(folder: Path) -> None:
    examples = imagefolder(folder)
    batch = examples.batch(range(4))
    assert examples.classes == ("ant", "cat")
    assert batch.ids == ("ant/x.PNG", "cat/a.bmp", "cat/b.png", "cat/c.webp")
    assert batch.labels is not None
    assert batch.labels.tolist() == [0, 1, 1, 1]
    assert batch.inputs.shape == (4, 3, 10, 12)
    assert (batch.inputs[:, :, 0, 0] * 255).round().tolist() == [[1, 2, 3], [10, 20, 30], [0, 20, 30], [20, 20, 30]]


def test_split_is_a_folder(folder: Path) -> None:
    assert imagefolder(folder.parent, split=folder.name).classes == ("ant", "cat")
    with pytest.raises(InvalidData, match=r"imagefolder: the folder must exist, got '.*val'"):
        imagefolder(folder, split="val")


def test_names_the_first_image_of_another_size(folder: Path) -> None:
    _save(folder / "cat" / "bb.png", size=(12, 11))
    with pytest.raises(InvalidData, match=r"bb\.png: size must be \(12, 10\) as in the first image, got \(12, 11\)"):
        imagefolder(folder)
    assert imagefolder(folder, size=6).batch(range(5)).inputs.shape == (5, 3, 6, 6)


def test_names_the_first_image_of_another_kind(folder: Path) -> None:
    _save(folder / "cat" / "bb.png", mode="L")
    with pytest.raises(InvalidData, match=r"bb\.png: grey must be False as in the first image, got True"):
        imagefolder(folder)
    assert imagefolder(folder, grey=True).batch(range(5)).inputs.shape == (5, 1, 10, 12)
    assert imagefolder(folder, grey=False).batch(range(5)).inputs.shape == (5, 3, 10, 12)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
@pytest.mark.parametrize("size", [None, 7])
@pytest.mark.parametrize("grey", [None, True, False])
def test_all_8_bit_modes(tmp_path: Path, mode: str, size: int | None, grey: bool | None) -> None:
    _save(tmp_path / "class" / "image.png", mode=mode)
    is_grey = mode in {"1", "L", "LA"} if grey is None else grey
    expected = (1, 1 if is_grey else 3, *((7, 7) if size else (10, 12)))
    assert imagefolder(tmp_path, size=size, grey=grey).batch([0]).inputs.shape == expected


def test_transparent_palettes(tmp_path: Path) -> None:
    for name, transparency in (("a.png", b"\x00\x80"), ("b.gif", 0)):
        _save(tmp_path / "class" / name, mode="P", transparency=transparency)
    assert imagefolder(tmp_path).batch(range(2)).inputs.shape == (2, 3, 10, 12)


def test_refuses_16_bits(tmp_path: Path) -> None:
    _save(tmp_path / "class" / "deep.png", mode="I;16")
    with pytest.raises(InvalidData, match=r"deep\.png: must be an image of 8 bits a channel, got mode I;16"):
        imagefolder(tmp_path)


@pytest.mark.parametrize(("width", "height"), [(40, 20), (20, 40), (20, 20), (6, 10)])
def test_crops_the_centre(tmp_path: Path, width: int, height: int) -> None:
    values = np.zeros((height, width), np.uint8)
    values[height // 2 - 2 : height // 2 + 2, width // 2 - 2 : width // 2 + 2] = 255
    (tmp_path / "class").mkdir()
    Image.fromarray(values).save(tmp_path / "class" / "image.png")
    image = imagefolder(tmp_path, size=10).batch([0]).inputs[0, 0].numpy()
    assert image.shape == (10, 10)
    assert image.mean(0) @ np.arange(10) / image.mean() / 10 == pytest.approx(4.5, abs=0.5)
    assert image.mean(1) @ np.arange(10) / image.mean() / 10 == pytest.approx(4.5, abs=0.5)


def test_a_truncated_image_is_named(folder: Path) -> None:
    random = np.random.default_rng(0).integers(0, 256, (10, 12, 3), dtype=np.uint8)
    file = folder / "cat" / "d.jpg"
    Image.fromarray(random).save(file)
    file.write_bytes(file.read_bytes()[:-60])
    examples = imagefolder(folder)
    with pytest.raises(InvalidData, match=r"d\.jpg: must be an image, whole and undamaged: .*truncated"):
        examples.batch(range(len(examples)))


def test_a_file_that_is_no_image_is_named(folder: Path) -> None:
    (folder / "cat" / "d.jpg").write_bytes(b"garbage")
    with pytest.raises(InvalidData, match=r"d\.jpg: must be an image, whole and undamaged"):
        imagefolder(folder)


def test_an_image_that_changes_later_is_named(folder: Path) -> None:
    examples = imagefolder(folder)
    _save(folder / "cat" / "b.png", size=(3, 3))
    with pytest.raises(InvalidData, match=r"b\.png: size must be \(12, 10\)"):
        examples.batch([2])


def test_refuses_a_folder_without_images(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"imagefolder: CLASS/\*\.png.* must be in '.*', found none"):
        imagefolder(tmp_path)


def test_refuses_a_wrong_size(folder: Path) -> None:
    with pytest.raises(InvalidSetting, match="size must be >= 1, got 0"):
        imagefolder(folder, size=0)


def test_reads_a_table_of_labels(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        _save(tmp_path / name)
    (tmp_path / "labels.csv").write_text("file,class_index,name\ntwo.png,3,dog\none.png,1,cat\n")
    examples = imagefolder(tmp_path)
    assert examples.ids() == ("two.png", "one.png")
    assert examples.classes == ("0", "cat", "2", "dog")
    labels = examples.label_array()
    assert labels is not None
    assert labels.tolist() == [3, 1]


@pytest.mark.parametrize(
    "table",
    [
        "file,label\none.png,1\n",
        "file,class_index\none.png,x\n",
        "file,class_index\none.png\n",
        "file,class_index\nx,-1\n",
    ],
)
def test_refuses_a_wrong_table(tmp_path: Path, table: str) -> None:
    (tmp_path / "labels.csv").write_text(table)
    with pytest.raises(InvalidData, match=r"labels\.csv: .*class_index"):
        imagefolder(tmp_path)


def test_names_an_image_that_the_table_promises(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,class_index\nnone.png,0\n")
    with pytest.raises(InvalidData, match=r"none\.png: must be an image"):
        imagefolder(tmp_path)


@pytest.mark.data
def test_the_real_files(real_data: Path) -> None:
    examples = imagefolder(real_data / "imagenet-samples", size=64)
    assert (len(examples), examples.shape, examples.classes[0]) == (1000, (3, 64, 64), "tench")
    assert 0.3 < examples.batch(range(50)).inputs.mean() < 0.6
