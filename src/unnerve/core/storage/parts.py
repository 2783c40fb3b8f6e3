"""Files on their way: beside their target, hidden, and locked as long as whoever writes them lives."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unnerve.core.storage.locks import HAS_LOCKS, is_own_file, try_lock

__all__ = ["part_of", "remove_dead_parts"]

_NAME = re.compile(r"\..+\.[0-9a-f]{8}\.part")
_LONGEST = 60
"""Characters of the target's name that a part's has: the whole must not be longer than a file system allows."""


@contextmanager
def part_of(target: Path) -> Iterator[Path]:
    """Make an empty file beside ``target`` and keep it locked while the context lasts; what is left there is removed.

    Whoever finds it unlocked knows that its writer is dead, on this machine or another, whatever process has its
    number now.
    """
    part, handle = _claimed(target)
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)
        if handle is not None:
            os.close(handle)


def remove_dead_parts(folder: Path, name: str = "") -> None:
    """Remove what dead processes of this user left unfinished in a folder: of one target, or of all."""
    if not HAS_LOCKS:
        return
    start = f".{name[:_LONGEST]}." if name else "."
    with suppress(OSError):
        for found in os.scandir(folder):
            if found.name.startswith(start) and _NAME.fullmatch(found.name):
                _remove_if_dead(Path(found.path))


def _claimed(target: Path) -> tuple[Path, int | None]:
    while True:
        part = target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(4)}.part")
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        if not HAS_LOCKS:  # there an open file cannot be renamed
            os.close(handle)
            return part, None
        # Between the two calls somebody may have taken it for a dead one's.
        if try_lock(handle) is not False and _is_at(part, handle):
            return part, handle
        os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(handle).st_ino
    except FileNotFoundError:
        return False


def _remove_if_dead(part: Path) -> None:
    with suppress(OSError):
        # In a folder that others may write to, the name can be a link to a file of ours, or a pipe that is waited at.
        handle = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            # The lock decides, not the age: a slow writer on another machine may be older than a dead one here.
            if is_own_file(handle) and os.fstat(handle).st_uid == os.getuid() and try_lock(handle):
                part.unlink()
        finally:
            os.close(handle)
