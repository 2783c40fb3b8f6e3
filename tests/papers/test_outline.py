from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.papers._outline import Outline, repeated
from unnerve.papers._parts import Part
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Reproduction, Table


@dataclass(frozen=True)
class Plan:
    size: int = 1


@dataclass(frozen=True)
class Measured:
    plan: Plan
    figure: float

    def spreads(self) -> dict[str, Interval]:
        return {"figure": Interval(self.figure, self.figure - 1, self.figure + 1)}


def outline(folder: Path, figure: float = 5.0, plan: Plan = Plan()) -> Outline[Measured]:
    parts = [
        Part("first", plan, Measured, lambda: Measured(plan, figure), (3,)),
        Part("second", plan, Measured, lambda: Measured(plan, 7.0), (3, 4)),
    ]
    titles = "Table III: of both", "Table 4: of one", "of none"

    def told(results: list[Measured]) -> Reproduction:
        tables = tuple(Table(title, ("a",), (("1",),)) for title in titles)
        return Reproduction("someone", f"{len(results)} parts", (), tables, tuple(results))

    return Outline(folder, parts, told)


def test_all_parts_or_those_of_a_table(tmp_path: Path) -> None:
    assert outline(tmp_path).finished().size == "2 parts"
    some = outline(tmp_path).finished(table="4")
    assert (some.size, [table.title for table in some.tables]) == ("1 parts", ["Table 4: of one"])
    assert [table.title for table in outline(tmp_path).finished(table="iii").tables] == ["Table III: of both"]
    with pytest.raises(InvalidSetting, match="table must be one of 3, 4, got 5"):
        outline(tmp_path).finished(table="5")
    with pytest.raises(InvalidSetting, match="table must be a number, got four"):
        outline(tmp_path).finished(table="four")


def test_parts_that_take_long_run_if_they_are_asked_for(tmp_path: Path) -> None:
    made, ran = outline(tmp_path), []

    def slow() -> Measured:
        ran.append("slow")
        return Measured(Plan(), 9.0)

    long = replace(made, parts=[*made.parts, Part("long-first", Plan(), Measured, slow, (5,), only_asked=True)])
    assert long.finished().size == "2 parts"
    assert long.finished(only="first").size == "1 parts", "a word that quick parts have too does not ask for it"
    assert ran == []
    assert long.finished(only="long").cells == (Measured(Plan(), 9.0),)
    assert long.finished().size == "3 parts", "what is there is told without being asked for"
    assert ran == ["slow"]


@pytest.mark.parametrize(
    ("again", "agrees", "identical"), [(5.0, True, True), (5.9, True, False), (6.1, False, False), (3.9, False, False)]
)
def test_a_repeated_cell_agrees_within_the_stored_interval(
    tmp_path: Path, again: float, agrees: bool, identical: bool
) -> None:
    outline(tmp_path).finished()
    before = (tmp_path / "cells" / "first.json").read_bytes()
    result = repeated(lambda folder: outline(folder, again), "first", tmp_path)
    assert result.agrees is agrees
    assert [one.identical for one in result.figures] == [identical]
    assert result.summary()["figures"][0]["ci95"] == [4.0, 6.0]
    assert (tmp_path / "cells" / "first.json").read_bytes() == before, "the stored cell stays as it is"
    assert [path.name for path in tmp_path.iterdir()] == ["cells"], "what was made on the way is gone"


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="holds no cells to compare with"):
        repeated(outline, "first", tmp_path)
    made = outline(tmp_path)
    replace(made, parts=made.parts[:1]).finished()
    with pytest.raises(InvalidSetting, match="cell must be one of first, second, got third"):
        repeated(outline, "third", tmp_path)
    with pytest.raises(InvalidData, match=r"second\.json does not exist"):
        repeated(outline, "second", tmp_path)
    with pytest.raises(InvalidData, match="was made with other settings"):
        repeated(lambda folder: outline(folder, plan=Plan(2)), "first", tmp_path)


def test_finished_parts_are_told_of_anew_and_nothing_is_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="holds no finished part of this size and random seed"):
        outline(tmp_path).stored()
    outline(tmp_path).finished(table="4")

    def never() -> Measured:
        raise AssertionError("it was run")

    idle = [replace(part, run=never) for part in outline(tmp_path).parts]
    told = replace(outline(tmp_path), parts=idle).stored().finished()
    assert told.cells == (Measured(Plan(), 7.0),)
    with pytest.raises(InvalidData, match="no finished part"):
        outline(tmp_path, plan=Plan(2)).stored()
