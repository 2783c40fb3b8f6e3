"""Locks on files, which the system takes back when their owner dies."""

import os
import stat
from typing import Any

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows
    _fcntl = None  # type: ignore[assignment]

__all__ = ["HAS_LOCKS", "is_own_file", "try_lock"]

_system: Any = _fcntl
HAS_LOCKS = _system is not None
"""Whether files can be locked here at all."""


def try_lock(handle: int) -> bool | None:
    """Lock an open file: False if somebody else holds it, None on a file system without locks."""
    if _system is None:
        return None
    try:
        _system.flock(handle, _system.LOCK_EX | _system.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def is_own_file(handle: int) -> bool:
    """Say whether an open file is a regular one with a single name: no device, pipe or other name of another file."""
    found = os.fstat(handle)
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1
