"""The parts of a reproduction: each is run once, and kept."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from unnerve.core.errors import InvalidData, OutputRefused
from unnerve.core.storage.files import whole_file
from unnerve.papers._json import from_json, to_json

__all__ = ["Part", "digest", "results_of"]

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
    """

    name: str
    plan: object
    kind: type[Result_co]
    run: Callable[[], Result_co]


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
        results.append(_result(part, folder / "cells" / f"{part.name}.json"))
    if progress is not None:
        progress(len(parts), len(parts))
    return results


def _result(part: Part[Result], path: Path) -> Result:
    if path.exists():
        kept = json.loads(path.read_text())
        kept["plan"] = {_RENAMED.get(key, key): value for key, value in kept["plan"].items()}
        # The JSON is compared, not the plan made of it: a setting that an older file lacks must not take its default.
        if kept["plan"] == to_json(part.plan):
            return _read(part.kind, kept, path)
    result = part.run()
    with whole_file(path) as file:
        file.write_text(json.dumps(to_json(result)))
    return result


def _read(kind: type[Result], kept: dict[str, Any], path: Path) -> Result:
    try:
        return from_json(kind, kept)
    except KeyError as absent:
        raise InvalidData(f"{path} lacks {absent}; without the file its part is run again") from absent
