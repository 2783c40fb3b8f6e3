import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.papers._parts import Part, digest, results_of


@dataclass(frozen=True)
class Plan:
    trial: str
    size: int = 1


@dataclass(frozen=True)
class Result:
    plan: Plan
    figure: float


PLAN = Plan("short")
RESULT = Result(PLAN, 0.5)
PART = Part("one", PLAN, Result, lambda: RESULT)


def refuse() -> Result:
    pytest.fail("it is run again")


def stored(folder: Path, **kept: object) -> None:
    (folder / "cells").mkdir()
    (folder / "cells" / "one.json").write_text(json.dumps(kept))


def test_a_part_is_run_once(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    assert results_of([PART], tmp_path, lambda done, total: seen.append((done, total))) == [RESULT]
    kept = json.loads((tmp_path / "cells" / "one.json").read_text())
    made = kept.pop("made")
    assert kept == {"plan": {"trial": "short", "size": 1}, "figure": 0.5}
    assert set(made) == {"commit", "versions", "threads", "seconds"}
    assert set(made["versions"]) == {"unnerve", "Python", "torch", "numpy"}
    assert made["threads"] >= 1
    assert results_of([replace(PART, run=refuse)], tmp_path, None) == [RESULT]
    assert seen == [(0, 1), (1, 1)]


def test_a_part_of_another_plan_is_run_again(tmp_path: Path) -> None:
    stored(tmp_path, plan={"trial": "short"}, figure=0.1)
    assert results_of([PART], tmp_path, None) == [RESULT], "a setting that is not stored is not taken for granted"


def test_a_trial_that_was_stored_as_a_protocol_is_read(tmp_path: Path) -> None:
    stored(tmp_path, plan={"protocol": "short", "size": 1}, figure=0.25)
    assert results_of([replace(PART, run=refuse)], tmp_path, None) == [Result(PLAN, 0.25)]


def test_a_file_that_lacks_a_figure_is_told(tmp_path: Path) -> None:
    stored(tmp_path, plan={"trial": "short", "size": 1})
    with pytest.raises(InvalidData, match=r"one.json lacks 'figure'; without the file its part is run again"):
        results_of([PART], tmp_path, None)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputRefused, match="cannot write to"):
        results_of([PART], tmp_path / "file", None)


def test_a_digest_depends_on_all_of_a_plan() -> None:
    assert digest([PLAN, {"a": "b"}]) == digest([Plan("short"), {"a": "b"}])
    assert digest(PLAN) != digest(replace(PLAN, size=2))
