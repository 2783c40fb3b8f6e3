"""The folder of an export: marked until it is complete, so that one that was killed can be begun again."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unnerve.campaign._lock import locked
from unnerve.core.errors import OutputRefused

__all__ = ["export_folder"]

_MARK = ".unfinished"
_OWN = re.compile(r"(\.?findings\.csv(\.\w{8}\.part)?|.+-[0-9a-f]{32}\.(png|npy))")
"""Names of what an export writes; nothing else is removed."""


@contextmanager
def export_folder(folder: Path) -> Iterator[None]:
    """Make a folder, or take an empty one, or one that an export that was killed left; others are refused."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / _MARK).exists())):
        raise OutputRefused(f"{folder} is not an empty folder; choose another --to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(str(folder / _MARK), str(folder), "--to"):
            # The lock makes the file already, but not on systems without locks.
            (folder / _MARK).touch()
            _remove_rest(folder)
            yield
            (folder / _MARK).unlink()
    except OSError as problem:
        raise OutputRefused(f"cannot write to {folder}: {problem.strerror or problem}") from problem


def _remove_rest(folder: Path) -> None:
    """Remove what an export left; raise if there is anything else."""
    rest = [path for path in folder.iterdir() if path.name != _MARK]
    strange = next((path for path in rest if not _OWN.fullmatch(path.name) or path.is_dir()), None)
    if strange is not None:
        raise OutputRefused(f"{folder} holds {strange.name}, which no export wrote; choose another --to")
    for path in rest:
        path.unlink()
