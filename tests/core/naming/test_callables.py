import hashlib
from functools import partial
from pathlib import Path

import pytest
from torch import nn

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.naming.callables import called_plainly, file_modules, file_of, looks_like_python, named


@pytest.mark.parametrize(
    ("text", "is_python"),
    [
        ("net.py:build", True),
        ("/some/where with spaces/net.py:build", True),
        ("package.module:name", True),
        ("module:name", True),
        ("net.py", False),
        ("net.py:", False),
        ("net.py:two words", False),
        ("zoo", False),
        ("mnist:data/mnist", False),
    ],
)
def test_recognises_names_in_python(text: str, is_python: bool) -> None:
    assert looks_like_python(text) == is_python


def test_reads_a_file_that_looks_itself_up(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from dataclasses import dataclass\n@dataclass\nclass Thing:\n    size: 'int' = 3\n")
    assert named(f"{path}:Thing", InvalidModel)().size == 3


def test_files_of_one_name_are_modules_of_their_own(tmp_path: Path) -> None:
    things = []
    for folder in ("one", "two"):
        path = tmp_path / folder / "mine.py"
        path.parent.mkdir()
        path.write_text("class Thing: ...\n")
        things.append(named(f"{path}:Thing", InvalidModel))
        assert file_of(things[-1]) == (str(path), hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest())
    assert things[0].__module__ != things[1].__module__
    assert file_of(nn.Linear) is None
    assert {one.__module__ for one in things} <= {module.__name__ for module in file_modules()}


def test_a_dotted_name() -> None:
    assert named("torch.nn:Linear", InvalidModel) is nn.Linear


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("1 / 0", "importing {path} raised ZeroDivisionError: division by zero"),
        ("def (", "importing {path} raised SyntaxError: "),
        ("open('weights.bin')", "importing {path} raised FileNotFoundError: "),
        ("x = 1", "{path} has no 'build'; it has nothing callable"),
        ("def bild(): ...", "{path} has no 'build'; it has bild"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, source: str, words: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(InvalidData) as error:
        named(f"{path}:build", InvalidData)
    assert str(error.value).startswith(words.format(path=path))


def test_a_missing_file() -> None:
    with pytest.raises(InvalidData, match=r"^no such file: nowhere\.py$"):
        named("nowhere.py:build", InvalidData)


def test_refuses_what_has_not_the_form() -> None:
    with pytest.raises(InvalidModel, match=r"must be FILE\.py:name or package\.module:name, got 'x'"):
        named("x", InvalidModel)


def test_factories_need_no_arguments() -> None:
    assert called_plainly(lambda: 1)
    assert called_plainly(lambda size=3: 1)
    assert called_plainly(lambda *many, **more: 1)
    assert not called_plainly(lambda x: 1)
    assert called_plainly(partial(lambda x: 1, 2))
    assert not called_plainly(nn.Linear)
    assert not called_plainly(3)
