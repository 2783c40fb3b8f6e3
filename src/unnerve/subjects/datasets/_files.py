"""Finding the files of a data set."""

from collections.abc import Iterable
from pathlib import Path

from unnerve.core.errors import InvalidData

__all__ = ["existing_file", "existing_folder", "first_existing"]


def existing_folder(path: str | Path, name: str) -> Path:
    """Return the path if a folder is there; ``name`` begins the message."""
    path = Path(path).expanduser()
    if not path.is_dir():
        raise InvalidData(f"{name}: the folder must exist, got '{path}'" + (", a file" if path.exists() else ""))
    return path


def existing_file(path: str | Path, name: str) -> Path:
    """Return the path if a file is there; ``name`` begins the message."""
    path = Path(path).expanduser()
    if not path.is_file():
        other = ", a folder" if path.is_dir() else ", no regular file" if path.exists() else ""
        raise InvalidData(f"{name}: the file must exist, got '{path}'{other}")
    return path


def first_existing(folders: Iterable[Path], names: Iterable[str]) -> Path | None:
    """Return the first of these files that exists, or None; folders are searched in their order."""
    names = list(names)
    return next((folder / name for folder in folders for name in names if (folder / name).is_file()), None)
