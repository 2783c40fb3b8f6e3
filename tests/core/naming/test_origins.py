import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.callables import named
from unnerve.core.naming.origins import loaded, origin
from unnerve.measure.scores.gini import gini


def factory(step: float) -> Callable[[float], float]:
    def moved(x: float) -> float:
        return x + step

    return moved


def test_what_has_a_name_is_found_by_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def move(x): return x\n")
    move = named(f"{file}:move", InvalidSetting)
    name, source = origin(move)
    assert name == f"{file}:move"
    assert loaded(name)[1] == source
    assert loaded(name, source)[0] is loaded(name)[0], "imported once for each content"
    assert origin(gini)[0] == "unnerve.measure.scores.gini:gini"
    assert loaded(*origin(gini)) == (gini, origin(gini)[1])


def test_a_file_is_named_as_the_user_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Move: ...\n")
    thing, source = loaded("mine.py:Move")
    assert origin(thing) == ("mine.py:Move", source)


def test_a_program_that_changed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def move(x): return x\n")
    old, source = loaded(f"{file}:move")
    file.write_text("def move(x): return -x\n")
    with pytest.raises(InvalidSetting, match=rf"mine.py:move is no longer what it was: its hash was {source}, and is"):
        loaded(f"{file}:move", source)
    assert loaded(f"{file}:move")[0](1) == -1
    assert origin(old) == (f"{file}:move", source), "what was loaded before is what it was"


def test_what_has_no_name_is_told_by_its_settings() -> None:
    assert origin(factory(0.1))[0] == "moved"
    assert origin(factory(0.1)) == origin(factory(0.1)) != origin(factory(0.2))
    assert origin(partial(factory, 1)) == origin(partial(factory, 1)) != origin(partial(factory, 2))
    with pytest.raises(InvalidSetting, match=r"^'moved' exists only in the process that was given it; write it into a"):
        loaded(*origin(factory(0.1)))


def test_a_missing_package_is_named_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "art", None)
    file = tmp_path / "wants_art.py"
    file.write_text("import art.attacks\n")
    with pytest.raises(InvalidSetting, match="needs the package art, which is not here: pip install adversarial"):
        loaded(f"{file}:attack")
