"""Files: written whole or not at all, and told apart by their content."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unnerve.core.errors import OutputRefused

__all__ = ["check_writable", "sha256", "whole_file"]


def check_writable(path: Path) -> None:
    """Raise unless a file can be made at ``path``: asked before the work, so that a bad path costs no time."""
    folder = path.parent
    if path.is_dir():
        raise OutputRefused(f"cannot write {path}: it is a folder")
    if not folder.is_dir():
        raise OutputRefused(f"cannot write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise OutputRefused(f"cannot write {path}: permission denied")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; what is written there becomes ``path`` if nothing goes wrong."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as problem:
        raise OutputRefused(f"cannot write {path}: {problem.strerror or problem}") from problem
    finally:
        part.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """Return the hash of a file's content, in hexadecimal, as ``sha256sum`` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
