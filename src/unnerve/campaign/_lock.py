"""One process at a time on a folder: a lock that the system takes back when its owner dies."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from unnerve.core.errors import OutputRefused

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows, where two processes would do the same work twice
    _fcntl = None  # type: ignore[assignment]

__all__ = ["locked"]


@contextmanager
def locked(path: str, shown: str) -> Iterator[None]:
    """Hold the lock file at ``path`` while the context lasts; raise if another process does."""
    fcntl: Any = _fcntl
    if fcntl is None:
        yield
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as problem:
        raise OutputRefused(f"cannot write to {shown}: {problem.strerror}") from problem
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            owner = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            raise OutputRefused(f"{shown} is in use by {owner}; wait for it, or choose another --out") from problem
        except OSError:
            pass  # a file system without locks
        with suppress(OSError):  # on a full disk the name is missing, the lock is not
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        os.close(handle)
