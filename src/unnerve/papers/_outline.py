"""A reproduction before it is run: its parts, and what is told of their results."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar, runtime_checkable

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.papers._parts import Part, is_stored, results_of, stored_result
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.repetition import Agreement, Repetition
from unnerve.studies.reproduction import Reproduction, table_number

__all__ = ["Outline", "Spread", "repeated"]

Result = TypeVar("Result")


@runtime_checkable
class Spread(Protocol):
    """A result that says how far its figures would move on being measured again."""

    def spreads(self) -> Mapping[str, Interval]:
        """Return its figures by name, with their 95 % intervals."""
        ...


@dataclass(frozen=True)
class Outline(Generic[Result]):
    """What a paper's reproduction runs and tells.

    Parameters
    ----------
    folder : Path
        For results; finished parts in it are kept.
    parts : sequence of Part
    told : callable
        Makes tables and claims of the parts' results, or of some of them.
    """

    folder: Path
    parts: Sequence[Part[Result]]
    told: Callable[[list[Result]], Reproduction]

    def finished(
        self,
        progress: Callable[[int, int], None] | None = None,
        table: str | None = None,
        only: str | None = None,
    ) -> Reproduction:
        """Run what is not finished yet, of one table or with one word in its name if that is asked, and tell of it."""
        if table is None:
            return self.told(results_of(self._unasked(only), self.folder, progress))
        number = table_number(table)
        parts = [part for part in self.parts if number in part.tables]
        if not parts:
            known = sorted({one for part in self.parts for one in part.tables})
            raise InvalidSetting(f"table must be one of {', '.join(map(str, known))}, got {table}")
        told = self.told(results_of(_named(parts, only), self.folder, progress))
        return replace(told, tables=tuple(one for one in told.tables if number in one.numbers))

    def stored(self) -> "Outline[Result]":
        """Return the outline of the parts that are finished, of which nothing is left to run."""
        done = [part for part in self.parts if is_stored(part, self.folder)]
        if not done:
            raise InvalidData(f"{self.folder} holds no finished part of this size and random seed")
        return replace(self, parts=done)

    def _unasked(self, only: str | None) -> Sequence[Part[Result]]:
        """Return what is told without a table: of parts that take long those that are there, or whose word is alone."""
        if only is None:
            return [part for part in self.parts if not part.only_asked or is_stored(part, self.folder)]
        quick = [part for part in self.parts if not part.only_asked]
        alone = not any(only.lower() in part.words for part in quick)
        return _named(self.parts if alone else quick, only)


def _named(parts: Sequence[Part[Result]], only: str | None) -> Sequence[Part[Result]]:
    """Return the parts that have a word in their names."""
    if only is None:
        return parts
    found = [part for part in parts if only.lower() in part.words]
    if not found:
        known = sorted({word for part in parts for word in part.words})
        raise InvalidSetting(f"only must be one of {', '.join(known)}, got {only}")
    return found


def repeated(make: Callable[[Path], Outline[Result]], cell: str, stored: Path) -> Repetition:
    """Run one part again from nothing, and compare it with the stored one.

    Parameters
    ----------
    make : callable
        Returns the outline for a folder of results.
    cell : str
        The part's name.
    stored : Path
        Folder of results whose ``cells`` hold the part.
    """
    if not (stored / "cells").is_dir():
        raise InvalidData(f"{stored} holds no cells to compare with")
    # A folder of its own: in that of the first run campaigns and trained networks would be read, not made again.
    with tempfile.TemporaryDirectory(prefix="again-", dir=stored) as folder:
        outline = make(Path(folder))
        by_name = {part.name: part for part in outline.parts}
        if cell not in by_name:
            raise InvalidSetting(f"cell must be one of {', '.join(by_name)}, got {cell}")
        part = by_name[cell]
        kept = stored_result(part, stored)
        again = part.run()
    assert isinstance(kept, Spread)
    assert isinstance(again, Spread)
    now = again.spreads()
    rows = tuple(Agreement(name, figure, now[name].mean) for name, figure in kept.spreads().items() if name in now)
    return Repetition(cell, rows)
