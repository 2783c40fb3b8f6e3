"""One process at a time on a folder: a lock that the system takes back when its owner dies."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from unnerve.core.errors import OutputRefused
from unnerve.core.storage.locks import HAS_LOCKS, is_own_file, try_lock

__all__ = ["locked"]

# Without blocking: to open a pipe that somebody put there would be to wait for ever.
_OPENING = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def locked(path: str, shown: str, option: str = "--out") -> Iterator[None]:
    """Hold the lock file at ``path`` while the context lasts; raise if another process does.

    The file is written to, so a link that somebody put there is not followed.
    """
    if not HAS_LOCKS:  # two processes would do the same work twice
        yield
        return
    try:
        handle = os.open(path, _OPENING | os.O_NOFOLLOW, 0o644)
    except OSError as problem:
        if os.path.islink(path):  # noqa: PTH114 - as it was given
            raise OutputRefused(f"{path} is a link, and must not be one; remove it") from problem
        raise OutputRefused(f"cannot write to {shown}: {problem.strerror}") from problem
    try:
        # A second name of the file (a hard link) could belong to somebody else, whose file would be emptied.
        if not is_own_file(handle):
            raise OutputRefused(f"{path} must be a plain file with one name; remove it")
        if try_lock(handle) is False:
            owner = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            raise OutputRefused(f"{shown} is in use by {owner}; wait for it, or choose another {option}")
        with suppress(OSError):  # on a full disk the name is missing, the lock is not
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        os.close(handle)
