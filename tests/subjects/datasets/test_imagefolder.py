import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets.imagefolder import imagefolder

WAYS = ("nearest", "bilinear", "bicubic", "lanczos")


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


@pytest.mark.parametrize(("colour", "channels", "mode"), [(2, 3, "RGB"), (4, 2, "(LA|RGBA)"), (6, 4, "RGBA")])
def test_refuses_png_of_16_bits_a_channel_in_colour(tmp_path: Path, colour: int, channels: int, mode: str) -> None:
    """Pillow opens them, and takes the upper half of every value without a word."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    for bits in (8, 16):
        header = struct.pack(">IIBBBBB", 12, 10, bits, colour, 0, 0, 0)
        rows = zlib.compress(b"".join(b"\0" + bytes(12 * channels * bits // 8) for _ in range(10)))
        (tmp_path / str(bits)).mkdir()
        whole = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
        (tmp_path / str(bits) / "deep.png").write_bytes(whole)
    with pytest.raises(
        InvalidData, match=rf"16.deep\.png: must be an image of 8 bits a channel, got 16 of mode {mode}"
    ):
        imagefolder(tmp_path)
    assert len(imagefolder(tmp_path, skip_unreadable=True)) == 1


def test_bmp_of_16_bits_a_pixel_is_no_more_than_8_a_channel(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    # The smallest header, 16 bits a pixel; two white pixels: 5 bits of each colour.
    header = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 58, 0, 0, 54, 40, 2, 1, 1, 16, 0, 4, 0, 0, 0, 0)
    (tmp_path / "class" / "a.bmp").write_bytes(header + b"\xff\x7f\xff\x7f")
    assert (imagefolder(tmp_path).batch([0]).inputs == 1).all()


def test_inks_become_light(tmp_path: Path) -> None:
    for name, colour in (("a", (0, 0, 0, 0)), ("b", (0, 0, 0, 255)), ("c", (0, 255, 255, 0))):
        _save(tmp_path / "class" / f"{name}.jpg", mode="CMYK", colour=colour, quality=100)
    inputs = imagefolder(tmp_path).batch(range(3)).inputs.mean(dim=(2, 3))
    for found, expected in zip(inputs.tolist(), ([1, 1, 1], [0, 0, 0], [1, 0, 0]), strict=True):
        assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("bits", [12, 16])
def test_refuses_jpeg_of_more_bits(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "class" / "deep.jpg"
    _save(path, mode="L")
    data = bytearray(path.read_bytes())
    data[data.index(b"\xff\xc0") + 4] = bits  # where the frame header states the bits of a sample
    path.write_bytes(data)
    with pytest.raises(InvalidData, match=rf"deep\.jpg: must be an image of 8 bits a channel, got a JPEG of {bits}"):
        imagefolder(tmp_path)
    path.write_bytes(data[:50])
    with pytest.raises(InvalidData, match=r"deep\.jpg: must be an image, whole and undamaged"):
        imagefolder(tmp_path)


@pytest.mark.parametrize(("width", "height"), [(40, 20), (20, 40), (20, 20), (6, 10)])
@pytest.mark.parametrize("crop", [1.0, 0.875, 0.5, None])
def test_crops_the_centre(tmp_path: Path, width: int, height: int, crop: float | None) -> None:
    values = np.zeros((height, width), np.uint8)
    values[height // 2 - 2 : height // 2 + 2, width // 2 - 2 : width // 2 + 2] = 255
    (tmp_path / "class").mkdir()
    Image.fromarray(values).save(tmp_path / "class" / "image.png")
    image = imagefolder(tmp_path, size=10, crop=crop).batch([0]).inputs[0, 0].numpy()
    assert image.shape == (10, 10)
    assert image.mean(0) @ np.arange(10) / image.mean() / 10 == pytest.approx(4.5, abs=0.51)
    assert image.mean(1) @ np.arange(10) / image.mean() / 10 == pytest.approx(4.5, abs=0.51)


def test_size_resizes_the_short_side_to_an_eighth_more_and_crops(tmp_path: Path) -> None:
    # 16 rows of 32 pixels, each as bright as its column: 14 / 0.875 = 16, so nothing is resized, and the crop is
    # columns 9 to 22 of rows 1 to 14.
    (tmp_path / "class").mkdir()
    Image.fromarray(np.arange(32, dtype=np.uint8)[None].repeat(16, axis=0)).save(tmp_path / "class" / "image.png")
    row = (imagefolder(tmp_path, size=14).batch([0]).inputs[0, 0] * 255).round()
    assert row.tolist() == [list(range(9, 23))] * 14
    # crop=1: 16 / 1 = 16; the whole height, columns 8 to 23.
    row = (imagefolder(tmp_path, size=16, crop=1).batch([0]).inputs[0, 0] * 255).round()
    assert row.tolist() == [list(range(8, 24))] * 16
    # crop=none: all 32 columns squeezed into 16, each the mean of two; 8 rows of 16.
    row = (imagefolder(tmp_path, size=16, crop=None, interpolation="bilinear").batch([0]).inputs[0, 0] * 255).round()
    assert row[0, 4:12].tolist() == pytest.approx([2 * column + 0.5 for column in range(4, 12)], abs=0.51)


def test_interpolation_is_the_one_named(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    Image.fromarray(np.array([[0, 255] * 8] * 16, np.uint8)).save(tmp_path / "class" / "image.png")
    found = {way: imagefolder(tmp_path, size=8, crop=1, interpolation=way).batch([0]).inputs[0, 0, 4] for way in WAYS}
    assert set(found["nearest"].tolist()) <= {0.0, 1.0}
    assert 0.4 < float(found["bilinear"].mean()) < 0.6
    assert len({tuple(row.tolist()) for row in found.values()}) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 0}, "size must be >= 1, got 0"),
        ({"size": 8, "crop": 0}, r"crop must be in \(0, 1\], or none, got 0"),
        ({"size": 8, "crop": 1.5}, r"crop must be in \(0, 1\], or none, got 1.5"),
        ({"size": 8, "interpolation": "magic"}, "interpolation must be nearest, .*, got 'magic'"),
    ],
)
def test_refuses_wrong_settings(folder: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        imagefolder(folder, **settings)


def test_a_truncated_image_is_named(folder: Path) -> None:
    _damage(folder / "cat" / "d.jpg")
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
    with pytest.raises(InvalidData, match=r"imagefolder: images \(png, .*\) must be in '.*', found none$"):
        imagefolder(tmp_path)
    _save(tmp_path / "val" / "cat" / "one.png")
    with pytest.raises(InvalidData, match=r"found none; the folder 'val' has folders in it: `split` val reads those"):
        imagefolder(tmp_path)


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
    ("table", "labels", "classes"),
    [
        ("file,label\nb.png,dog\na.png,cat\nc.png,dog\n", [1, 0, 1], ("cat", "dog")),
        ("label,file,note\n2,b.png,x\n0,a.png,\n1,c.png,y\n", [2, 0, 1], ()),
        ("file_name,target\nb.png,1\na.png,0\nc.png,1\n", [1, 0, 1], ()),
        ("file,label,name\nb.png,1,dog\na.png,0,cat\nc.png,1,dog\n", [1, 0, 1], ("cat", "dog")),
    ],
)
@pytest.mark.parametrize("name", ["labels.csv", "metadata.csv", "mine.csv"])
def test_reads_tables(tmp_path: Path, table: str, labels: list[int], classes: tuple[str, ...], name: str) -> None:
    for file in ("a.png", "b.png", "c.png"):
        _save(tmp_path / file)
    (tmp_path / name).write_text(table)
    examples = imagefolder(tmp_path, table="mine.csv" if name == "mine.csv" else None)
    assert examples.ids() == ("b.png", "a.png", "c.png")
    assert np.array_equal(examples.label_array(), labels)  # type: ignore[arg-type]
    assert examples.classes == classes


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "must be a table with names of columns and at least one row, found 0 lines"),
        ("file,label\n", "at least one row, found 1 lines"),
        ("name,label\none.png,1\n", "must have the columns file and label, found no file in name, label"),
        ("a,b\none.png,1\n", "found no file and label in a, b"),
        ("file,label\none.png\n", "every row must have 2 cells, got 1 in row 1"),
        ("file,label\none.png,\n", "every row must have a file and a label, got 'one.png' and '' in row 1"),
        ("file,label\none.png,-1\n", "labels must be >= 0, got -1"),
        ("file,file\none.png,x\n", "every column must have a name of its own, got 'file' twice"),
        ("file,label\none.png,0\ntwo.png,1\n", r"row 2 names 'two.png', which must be in '.*', found none"),
    ],
)
def test_refuses_a_wrong_table(tmp_path: Path, table: str, message: str) -> None:
    _save(tmp_path / "one.png")
    (tmp_path / "labels.csv").write_text(table)
    with pytest.raises(InvalidData, match=rf"labels\.csv: .*{message}"):
        imagefolder(tmp_path)


def test_a_flat_folder_has_no_labels(tmp_path: Path) -> None:
    for name in ("b.png", "a.jpg", ".hidden.png"):
        _save(tmp_path / name)
    (tmp_path / "notes").mkdir()
    examples = imagefolder(tmp_path)
    assert examples.ids() == ("a.jpg", "b.png")
    assert examples.label_array() is None
    assert examples.classes == ()


def _damage(file: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (10, 12, 3), dtype=np.uint8)
    file.parent.mkdir(exist_ok=True)
    Image.fromarray(noise).save(file)
    file.write_bytes(file.read_bytes()[:-60])


@pytest.mark.parametrize("threads", [1, 2])
def test_unreadable_images_are_left_out_and_counted(folder: Path, threads: int) -> None:
    (folder / "cat" / "aa.jpg").write_bytes(b"garbage")
    (folder / "ant" / "z.png").write_bytes(b"")
    _damage(folder / "cat" / "d.jpg")
    _damage(folder / "bee" / "all.jpg")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        examples = imagefolder(folder, skip_unreadable=True)
        assert examples.batch(range(4)).inputs.shape == (4, 3, 10, 12)
    finally:
        torch.set_num_threads(before)
    assert examples.skipped == ("ant/z.png", "bee/all.jpg", "cat/aa.jpg", "cat/d.jpg")
    assert examples.ids() == ("ant/x.PNG", "cat/a.bmp", "cat/b.png", "cat/c.webp")
    assert examples.classes == ("ant", "bee", "cat"), "classes must keep their numbers"
    assert np.array_equal(examples.label_array(), [0, 2, 2, 2])  # type: ignore[arg-type]
    assert "4 unreadable ones left out" in repr(examples)


def test_missing_files_of_a_table_are_left_out_too(tmp_path: Path) -> None:
    _save(tmp_path / "one.png")
    (tmp_path / "labels.csv").write_text("file,label\nnone.png,cat\none.png,dog\n")
    examples = imagefolder(tmp_path, skip_unreadable=True)
    assert (examples.ids(), examples.skipped, examples.classes) == (("one.png",), ("none.png",), ("cat", "dog"))


def test_refuses_a_folder_in_which_nothing_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"garbage")
    with pytest.raises(InvalidData, match=r"imagefolder: no image in '.*' can be read, such as a\.png"):
        imagefolder(tmp_path, skip_unreadable=True)


def test_threads_read_the_same_rows_in_the_same_order(tmp_path: Path) -> None:
    for number in range(50):
        _save(tmp_path / f"{number:02}.png", mode="L", colour=number)
    examples, before = imagefolder(tmp_path), torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        try:
            values = examples.batch(range(49, -1, -1)).inputs[:, 0, 0, 0] * 255
        finally:
            torch.set_num_threads(before)
        assert values.round().tolist() == list(range(49, -1, -1))


@pytest.mark.data
def test_the_real_files(real_data: Path) -> None:
    examples = imagefolder(real_data / "imagenet-samples", size=64)
    assert (len(examples), examples.shape, examples.classes[0]) == (1000, (3, 64, 64), "tench")
    assert 0.3 < examples.batch(range(50)).inputs.mean() < 0.6
