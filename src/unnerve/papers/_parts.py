"""The parts of a reproduction: each is run once, and kept."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.core.storage.files import whole_file
from unnerve.papers._json import from_json, to_json
from unnerve.papers._made import made

__all__ = ["Part", "digest", "is_stored", "results_of", "stored_result"]

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

# Keys of a plan that were called otherwise when older parts were stored.
_RENAMED = {"protocol": "trial"}


@dataclass(frozen=True)
class Part(Generic[Result_co]):
    """One experiment of a reproduction.

    Parameters
    ----------
    name : str
        Unique within a reproduction, fit for a file name.
    plan : dataclass
        All that decides its result.
    kind : type
        The result's: a frozen dataclass whose field ``plan`` is the part's plan.
    run : callable
        Returns the result.
    tables : tuple of int
        The paper's tables that are made of it, by their numbers.
    only_asked : bool
        Run it only if one of its tables is asked for, or a word that no other part has: it takes long.
    """

    name: str
    plan: object
    kind: type[Result_co]
    run: Callable[[], Result_co]
    tables: tuple[int, ...] = ()
    only_asked: bool = False

    @property
    def words(self) -> list[str]:
        """The words of its name, by which it can be asked for."""
        return self.name.split("-")


def digest(plan: object) -> str:
    """Return a short hash of a plan, for the names of what belongs to it."""
    return hashlib.blake2b(json.dumps(to_json(plan)).encode(), digest_size=4).hexdigest()


def results_of(
    parts: Sequence[Part[Result]], folder: Path, progress: Callable[[int, int], None] | None
) -> list[Result]:
    """Run every part that is not finished yet; return the results of all, in order."""
    try:
        (folder / "cells").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OutputRefused(f"cannot write to {folder}: {problem.strerror}") from problem
    results = []
    for done, part in enumerate(parts):
        if progress is not None:
            progress(done, len(parts))
        results.append(_result(part, folder))
    if progress is not None:
        progress(len(parts), len(parts))
    return results


def is_stored(part: Part[Result], folder: Path) -> bool:
    """Return whether a folder holds the result of a part, of its very plan."""
    path = _path(part, folder)
    return path.exists() and _kept(part, path) is not None


def stored_result(part: Part[Result], folder: Path) -> Result:
    """Return the result of a part that was stored in a folder; raise if there is none of its plan."""
    path = _path(part, folder)
    if not path.exists():
        raise InvalidData(f"{path} does not exist: there is nothing to compare with")
    kept = _kept(part, path)
    if kept is None:
        raise InvalidData(f"{path} was made with other settings (size, seed, data), so that it cannot be compared with")
    try:
        return from_json(part.kind, kept)
    except KeyError as absent:
        raise InvalidData(f"{path} lacks {absent}; without the file its part is run again") from absent


def _result(part: Part[Result], folder: Path) -> Result:
    path = _path(part, folder)
    if is_stored(part, folder):
        return stored_result(part, folder)
    start = time.perf_counter()
    result = part.run()
    # What made it stands beside the result, not in it: two results may be equal though two machines made them.
    stored = to_json(result) | {"made": to_json(made(time.perf_counter() - start))}
    with whole_file(path) as file:
        file.write_text(json.dumps(stored))
    return result


def _path(part: Part[Result], folder: Path) -> Path:
    return folder / "cells" / f"{part.name}.json"


def _kept(part: Part[Result], path: Path) -> dict[str, Any] | None:
    """Return what is stored, if it is of this part's plan."""
    kept: dict[str, Any] = json.loads(path.read_text())
    kept["plan"] = {_RENAMED.get(key, key): value for key, value in kept["plan"].items()}
    # The JSON is compared, not the plan made of it: a setting that an older file lacks must not take its default.
    return kept if kept["plan"] == to_json(part.plan) else None
