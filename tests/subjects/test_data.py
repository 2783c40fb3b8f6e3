from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import TensorDataset

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.core.naming import catalogue
from unnerve.subjects.data import examples

PYTHON = """
import numpy as np, torch
from torch.utils.data import TensorDataset

def pair(): return np.zeros((4, 3)), np.arange(4)
def array(): return np.zeros((4, 3))
def dataset(): return TensorDataset(torch.zeros(4, 3), torch.arange(4))
def named(): return "digits"
def parts(split="test"): return np.zeros((4 if split == "test" else 7, 3))
def broken(): raise ValueError("no luck")
def number(): return 5
ready = torch.zeros(4, 3)
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(PYTHON)
    return str(tmp_path / "mine.py")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.savez(tmp_path / "data.npz", x=np.zeros((4, 3)), x_val=np.zeros((6, 3)))
    return tmp_path / "data.npz"


def test_names() -> None:
    assert len(examples("digits")) == 1797
    assert len(examples("digits", split="test")) == 360
    assert len(examples("digits:split=test")) == 360


def test_limit_takes_the_first() -> None:
    some = examples("digits", limit=5)
    assert some.ids() == ("0", "1", "2", "3", "4")
    assert len(examples("digits", limit=10**6)) == 1797
    with pytest.raises(InvalidSetting, match="must be >= 1, got 0"):
        examples("digits", limit=0)


@pytest.mark.parametrize("name", ["mnist", "fashion-mnist", "fashion_mnist", "Fashion-MNIST"])
def test_names_with_paths(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "test.npz", x=np.zeros((4, 28, 28), np.uint8), y=np.arange(4))
    assert examples(f"{name}:{tmp_path}").shape == (1, 28, 28)


def test_npz_by_name_and_by_suffix(file: Path) -> None:
    for source in (f"npz:{file}", str(file), file):
        assert len(examples(source)) == 4
        assert len(examples(source, split="val")) == 6


def test_paths_may_have_commas_colons_and_equal_signs(tmp_path: Path) -> None:
    file = tmp_path / "a,b=c:d" / "e,f.npz"
    file.parent.mkdir()
    np.savez(file, x=np.zeros((4, 3)))
    assert len(examples(f"npz:{file}")) == 4
    assert len(examples(str(file))) == 4


def test_settings_follow_the_path(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    Image.new("RGB", (12, 10)).save(tmp_path / "class" / "image.png")
    assert examples(f"imagefolder:{tmp_path}").shape == (3, 10, 12)
    assert examples(f"imagefolder:{tmp_path},size=8,grey=true").shape == (1, 8, 8)
    with pytest.raises(InvalidSetting, match=r"size must be .*int.*, got 'x'"):
        examples(f"imagefolder:{tmp_path},size=x")


@pytest.mark.parametrize("name", ["pair", "array", "dataset", "ready", "parts"])
def test_callables_in_a_file(module: str, name: str) -> None:
    found = examples(f"{module}:{name}")
    assert (len(found), found.shape) == (4, (3,))


def test_a_callable_may_name_data_or_take_a_split(module: str) -> None:
    assert len(examples(f"{module}:named")) == 1797
    assert len(examples(f"{module}:parts", split="train")) == 7
    with pytest.raises(InvalidSetting, match=r"mine\.py:array takes no split, got 'train'"):
        examples(f"{module}:array", split="train")


def test_callables_in_a_module(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(module).parent / "package_of_mine"
    package.mkdir()
    Path(module).rename(package / "part.py")
    monkeypatch.syspath_prepend(str(package.parent))
    assert len(examples("package_of_mine.part:pair")) == 4


def test_problems_in_callables_are_one_line(module: str) -> None:
    with pytest.raises(InvalidData, match=r"mine\.py:broken raised ValueError: no luck"):
        examples(f"{module}:broken")
    with pytest.raises(InvalidData, match=r"mine\.py:number: must be a name, Examples, .* got int"):
        examples(f"{module}:number")
    with pytest.raises(InvalidData, match="has no 'absent'"):
        examples(f"{module}:absent")
    with pytest.raises(InvalidData, match=r"no such file: .*absent\.py"):
        examples("absent.py:data")


def test_values() -> None:
    x, y = torch.zeros(4, 3), torch.arange(4)
    for source in (x, x.numpy(), (x, y), (x.numpy(), y.tolist()), (x, None), TensorDataset(x, y)):
        assert len(examples(source, limit=3)) == 3
    ready = examples((x, y))
    assert examples(ready) is ready


@pytest.mark.parametrize(
    "source",
    [
        [torch.zeros(3)] * 4,
        [[0.0, 0.5, 1.0]] * 4,
        [(torch.zeros(3), row) for row in range(4)],
        [(np.zeros(3), "cat")] * 4,
        [{"x": torch.zeros(3), "y": row} for row in range(4)],
        [np.zeros((4, 3)), [0, 1, 2, 3]],
        (torch.zeros(4, 3), ["cat", "dog", "cat", "dog"]),
        {"x": torch.zeros(4, 3), "y": [0, 1, 2, 3]},
        {"Inputs": np.zeros((4, 3)), "Labels": ["a", "b", "a", "b"]},
        {"data": [[0.0, 0.5, 1.0]] * 4, "target": np.arange(4), "target_names": np.array(list("abcd"))},
        ((torch.zeros(3), row) for row in range(4)),
    ],
)
def test_what_people_have(source: object) -> None:
    found = examples(source)
    assert (len(found), found.shape) == (4, (3,))
    assert found.batch([3]).inputs.shape == (1, 3)


def test_two_images_in_a_list_are_no_pair() -> None:
    assert len(examples([torch.zeros(1, 5, 5), torch.zeros(1, 5, 5)])) == 2
    assert len(examples([np.zeros((7, 3)), np.arange(7)])) == 7


def test_a_dict_names_its_classes() -> None:
    found = examples({"x": torch.zeros(2, 3), "y": ["dog", "cat"], "classes": ["emu", "dog", "cat"]})
    assert found.classes == ("emu", "dog", "cat")
    assert np.array_equal(found.label_array(), [1, 2])  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match="dict: a table must have columns of numbers beside the label, found text"):
        examples({"text": ["?"]})
    with pytest.raises(InvalidData, match="dict: must be columns of one length"):
        examples({"text": "?", "more": 5})


@pytest.mark.parametrize("classes", [["emu", "dog", "cat"], "emu,dog, cat", "names.txt"])
def test_classes_are_named_in_the_models_order(
    classes: str | list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("emu\ndog\n\ncat\n")
    found = examples((torch.zeros(2, 3), ["dog", "cat"]), classes=classes)
    assert found.classes == ("emu", "dog", "cat")
    assert np.array_equal(found.label_array(), [1, 2])  # type: ignore[arg-type]
    numbered = examples((torch.zeros(2, 3), [2, 0]), classes=classes)
    assert numbered.classes == ("emu", "dog", "cat")
    assert np.array_equal(numbered.label_array(), [2, 0])  # type: ignore[arg-type]
    assert examples(torch.zeros(2, 3), classes=classes).classes == ("emu", "dog", "cat")


def test_wrong_classes_are_refused() -> None:
    named = (torch.zeros(2, 3), ["dog", "cat"])
    with pytest.raises(InvalidSetting, match="every class: unknown class of tensors 'dog'; did you mean dogs"):
        examples(named, classes=["dogs", "cat"])
    with pytest.raises(InvalidSetting, match="`classes` must differ from each other, got 'cat' twice"):
        examples(named, classes="cat,dog,cat")
    with pytest.raises(InvalidSetting, match=r"`classes` must be names with commas, .* got 'none\.txt'"):
        examples(named, classes="none.txt")
    with pytest.raises(InvalidData, match=r"labels must be in \[0, 1\], got 2"):
        examples((torch.zeros(2, 3), [0, 2]), classes="a,b")


def test_stored_range() -> None:
    x = torch.tensor([[-1.0, 0.0, 1.0]])
    data = examples(x, stored_range=(-1, 1))
    assert data.value_range == (-1.0, 1.0)
    assert data.batch([0]).inputs.tolist() == [[-1, 0, 1]]
    with pytest.raises(InvalidSetting, match="tensors is stored as uint8"):
        examples(torch.zeros(2, 3, dtype=torch.uint8), stored_range=(0, 255))


def test_a_folder_is_a_folder_of_images(tmp_path: Path) -> None:
    Image.new("RGB", (12, 10)).save(tmp_path / "image.png")
    assert examples(tmp_path).shape == (3, 10, 12)
    assert examples(f"{tmp_path},size=8").shape == (3, 8, 8)


def test_unreadable_images_can_be_left_out(tmp_path: Path, module: str) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    Image.new("RGB", (12, 10)).save(folder / "good.png")
    (folder / "bad.png").write_bytes(b"garbage")
    assert examples(folder, skip_unreadable=True).skipped == ("bad.png",)
    with pytest.raises(InvalidData, match=r"bad\.png: must be an image, whole and undamaged"):
        examples(folder)
    for source in ("digits", torch.zeros(4, 3), f"{module}:pair"):
        with pytest.raises(InvalidSetting, match="`skip_unreadable` is for folders of images, and speech, got"):
            examples(source, skip_unreadable=True)


def test_tables_by_suffix_and_column(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b,kind\n1,2,x\n3,4,y\n")
    for source in (file, f"csv:{file}"):
        found = examples(source, label="kind")
        assert (found.shape, found.classes) == ((2,), ("x", "y"))
    assert examples(f"{file},label=kind").classes == ("x", "y")
    with pytest.raises(InvalidSetting, match="`label` 'kind' is for tables, got 'digits'"):
        examples("digits", label="kind")
    with pytest.raises(InvalidSetting, match="`label` 'kind' is for tables, got Tensor"):
        examples(torch.zeros(2, 3), label="kind")
    with pytest.raises(InvalidSetting, match=r"`stored_range` is for arrays; the columns of a table, .*t\.csv, keep"):
        examples(file, label="kind", stored_range=(0, 255))


def test_split_is_for_names() -> None:
    with pytest.raises(InvalidSetting, match="`split` 'train' is for data that is named, got Tensor"):
        examples(torch.zeros(4, 3), split="train")


@pytest.mark.parametrize("source", ["mnst", "mnst:/some/folder", "mnst:folder", "minst"])
def test_suggests_the_nearest_name(source: str) -> None:
    with pytest.raises(UnknownName, match=r"unknown data set 'mi?nst'; did you mean mnist"):
        examples(source)


@pytest.mark.parametrize("source", ["", "/some/folder", "?"])
def test_refuses_other_texts(source: str) -> None:
    with pytest.raises(InvalidData, match=r"data must be NAME, NAME:PATH, FILE\.npz"):
        examples(source)


def test_refuses_other_values() -> None:
    with pytest.raises(InvalidData, match=r"must be a name, Examples, .* got int"):
        examples(5)


@pytest.mark.parametrize("source", ["mnist", "npz", "mnist:", "imagefolder:,size=5"])
def test_asks_for_the_path(source: str) -> None:
    with pytest.raises(InvalidSetting, match=r"must be followed by a path, as in .*:PATH"):
        examples(source)


def test_names_without_path_take_none() -> None:
    with pytest.raises(InvalidSetting, match="split must be all, train or test, got '/some/folder'"):
        examples("digits:/some/folder")


def test_a_file_is_read_by_the_data_set_of_its_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def npy(path: str) -> Examples:
        return examples(np.load(path))

    plugin = SimpleNamespace(load=lambda: npy, value="")
    monkeypatch.setattr(catalogue, "_plugins", lambda kind: {"npy": plugin} if kind == "data set" else {})
    catalogue.names.cache_clear()
    try:
        np.save(tmp_path / "a.npy", np.zeros((3, 4), np.float32))
        assert len(examples(str(tmp_path / "a.npy"))) == 3
        with pytest.raises(InvalidData, match=r"^data must be"):
            examples(str(tmp_path / "a.digits"))  # a data set, but none that reads a file
    finally:
        catalogue.names.cache_clear()
