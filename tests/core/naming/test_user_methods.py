import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.naming.callables import file_modules
from unnerve.core.naming.catalogue import KINDS, build, describe, find
from unnerve.core.naming.user_methods import user_method
from unnerve.generate.guided.guided import Guided

KINDS_OF_CLASSES = (
    *("coverage", "reaction", "perturbation", "region", "oracle", "search", "objective", "hunter"),
    *("transform", "order", "defence", "repair", "fault", "robustness measure"),
)
OTHER_KINDS = set(KINDS) - {*KINDS_OF_CLASSES, "score"}
PROGRAM = """
from dataclasses import dataclass
from unnerve.core.model import Capability

@dataclass(frozen=True)
class Mine:
    radius: float = 0.1
    steps: int = 3
    needs = Capability.ANSWERS
    width = 1

    def __call__(self): ...
    def begin(self): ...
    def prepare(self): ...
    def apply(self): ...
    def project(self): ...
    def points(self): ...
    def hunt(self): ...
    def values(self): ...
    def scores(self): ...
    def calibrated(self): ...
    def batch(self): ...
    def recipe(self): ...

ready = Mine(steps=9)

def steepness(probabilities):
    return -probabilities[:, 0]

class Nothing: ...
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("mine.py")
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("kind", KINDS_OF_CLASSES)
@pytest.mark.usefixtures("file")
def test_every_kind_of_method_can_come_from_a_file(kind: str) -> None:
    made = build(kind, "mine.py:Mine:radius=8/255,steps=5")
    assert (made.radius, made.steps) == (8 / 255, 5)
    stored = json.loads(json.dumps(describe(made)))
    assert (stored["name"], stored["radius"], stored["steps"]) == ("mine.py:Mine", 8 / 255, 5)
    assert build(kind, stored) == made
    assert build(kind, f"mine.py:Mine:0.2,source={stored['source']}") == build(kind, "mine.py:Mine(0.2)")
    assert build(kind, "mine.py:ready").steps == 9
    with pytest.raises(InvalidSetting, match=r"^mine.py:Mine has no setting 'wings'; it has radius, steps$"):
        build(kind, "mine.py:Mine:wings=2")
    with pytest.raises(InvalidSetting, match=rf"^mine.py:Nothing is no {kind}: it has no '\w+'"):
        build(kind, "mine.py:Nothing")


def test_a_file_that_changed_is_refused(file: Path) -> None:
    stored = describe(build("region", "mine.py:Mine"))
    score = describe(build("score", "mine.py:steepness"))
    file.write_text(PROGRAM + "\n\nLATER = 1\n")
    for kind, description in (("region", stored), ("score", score)):
        with pytest.raises(InvalidSetting, match=r"is no longer what it was: its hash was \w+, and is \w+ now$"):
            build(kind, description)
    with pytest.raises(InvalidSetting, match="is no longer what it was"):
        build("region", f"mine.py:Mine:source={stored['source']}")
    assert build("region", "mine.py:Mine:0.3").radius == 0.3


@pytest.mark.usefixtures("file")
def test_functions_come_from_files_too() -> None:
    score = build("score", "mine.py:steepness")
    assert score.__name__ == "steepness"
    assert build("score", json.loads(json.dumps(describe(score)))) is score
    with pytest.raises(InvalidSetting, match=r"^mine.py:steepness has no settings, got 'mine.py:steepness:3'$"):
        build("score", "mine.py:steepness:3")


def test_and_from_modules() -> None:
    assert build("score", "unnerve.measure.scores.gini:gini") is find("score", "gini")
    assert build("region", "unnerve.generate.regions.l2:L2:0.5") == build("region", "l2:0.5")


@pytest.mark.usefixtures("file")
def test_a_method_of_ones_own_can_be_a_setting() -> None:
    made = build("hunter", "guided:search=mine.py:Mine(steps=4),objective=mine.py:Mine")
    assert isinstance(made, Guided)
    stored = json.loads(json.dumps(describe(made)))
    assert (stored["search"]["kind"], stored["search"]["name"], stored["search"]["steps"]) == (
        "search",
        "mine.py:Mine",
        4,
    )
    assert stored["objective"]["kind"] == "objective"
    assert build("hunter", stored) == made


@pytest.mark.usefixtures("file")
def test_travels_to_a_process_without_the_file() -> None:
    made = build("region", "mine.py:Mine:radius=0.2")
    cloudpickle: Any = import_module("ray").cloudpickle
    for module in file_modules():
        cloudpickle.register_pickle_by_value(module)
    Path("sent").write_bytes(cloudpickle.dumps(made))
    Path("mine.py").unlink()
    program = (
        "import json, pickle, pathlib\n"
        "from unnerve.core.naming.catalogue import describe\n"
        "print(json.dumps(describe(pickle.loads(pathlib.Path('sent').read_bytes()))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == describe(made)


@pytest.mark.usefixtures("file")
def test_says_what_to_do_with_an_attack() -> None:
    with pytest.raises(InvalidSetting, match=r"it has no 'hunt'; an attack is given as foreign:mine.py:steepness$"):
        build("hunter", "mine.py:steepness")


def test_objects_without_a_name_are_described_but_not_built() -> None:
    def local(probabilities: object) -> object:
        return probabilities

    described = describe(local)
    assert described["name"] == "local"
    with pytest.raises(InvalidSetting, match="'local' exists only in the process that was given it"):
        build("score", described)


@pytest.mark.parametrize("kind", sorted(OTHER_KINDS))
def test_other_kinds_have_their_own_ways(kind: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^a {kind} cannot be taken from a file, got 'mine.py:eff'$"):
        user_method(kind, "mine.py:eff")


def test_names_in_python_are_not_in_the_catalogue() -> None:
    with pytest.raises(UnknownName):
        find("score", "mine.py:steepness")
