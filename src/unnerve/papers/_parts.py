"""The parts of a reproduction: each is run once, and kept."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unnerve.core.errors import OutputRefused
from unnerve.core.files import whole_file

__all__ = ["Part", "digest", "results_of"]


@dataclass(frozen=True)
class Part:
    """One experiment of a reproduction.

    Parameters
    ----------
    name : str
        Unique within a reproduction, fit for a file name.
    plan : dict
        All that decides its result, as JSON.
    run : callable
        Returns the result as JSON.
    """

    name: str
    plan: Mapping[str, Any]
    run: Callable[[], dict[str, Any]]


def digest(plan: object) -> str:
    """Return a short hash of a plan, for the names of what belongs to it."""
    return hashlib.blake2b(json.dumps(plan).encode(), digest_size=4).hexdigest()


def results_of(
    parts: Sequence[Part], folder: Path, progress: Callable[[int, int], None] | None
) -> list[dict[str, Any]]:
    """Run every part that is not finished yet; return the results of all, in order, each with its ``plan``."""
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


def _result(part: Part, path: Path) -> dict[str, Any]:
    plan = json.loads(json.dumps(part.plan))
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text())
        if kept["plan"] == plan:
            return kept
    result = {"plan": plan, **part.run()}
    with whole_file(path) as file:
        file.write_text(json.dumps(result))
    return result
