"""Files: written whole or not at all, and told apart by their content."""

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unnerve.core.errors import OutputRefused
from unnerve.core.storage.parts import part_of, remove_dead_parts

__all__ = ["check_page", "check_replaceable", "check_writable", "sha256", "whole_file"]

_LOG = logging.getLogger(__name__)
_LONGEST_NAME = 255
"""Bytes of a file's name, on the systems we know."""


def check_writable(path: Path) -> None:
    """Raise unless a file can be made at ``path``: asked before the work, so that a bad path costs no time."""
    folder, length = path.parent, len(os.fsencode(path.name))
    if length > _LONGEST_NAME:
        raise OutputRefused(f"cannot write {path}: its name must be <= {_LONGEST_NAME} bytes, got {length}")
    check_replaceable(path)
    if not folder.is_dir():
        raise OutputRefused(f"cannot write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise OutputRefused(f"cannot write {path}: permission denied")


def check_page(path: Path) -> None:
    """Raise unless an HTML page can be made at ``path``: asked before the work as well."""
    if path.suffix != ".html":
        raise OutputRefused(f"a report is written as .html, got '{path}'")
    check_writable(path)


def check_replaceable(path: Path) -> None:
    """Raise if there is something at ``path`` that is no regular file: replacing a device destroys it."""
    if path.is_dir():
        raise OutputRefused(f"cannot write {path}: it is a folder")
    if path.exists() and not path.is_file():
        raise OutputRefused(f"cannot write {path}: it is not a regular file")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; what is written there becomes ``path`` if nothing goes wrong.

    Of a link, the file that it leads to is replaced. What a process that was killed left of an earlier attempt is
    removed.
    """
    try:
        # Renaming onto a link would replace the link and leave its file as it was.
        target = Path(os.path.realpath(path))
        check_replaceable(target)
        remove_dead_parts(target.parent, target.name)
        with part_of(target) as part:
            yield part
            check_replaceable(target)
            part.replace(target)
        _LOG.info("wrote %s", path)
    except OSError as problem:
        raise OutputRefused(f"cannot write {path}: {problem.strerror or problem}") from problem


def sha256(path: Path) -> str:
    """Return the hash of a file's content, in hexadecimal, as ``sha256sum`` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
