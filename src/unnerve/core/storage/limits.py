"""What one file, or one slip of the finger, may cost at most; ``docs/reference/limits.md`` states the same."""

import os

from unnerve.core.errors import InvalidData, InvalidSetting

__all__ = [
    "CLASSES",
    "NESTING",
    "NUMBERS",
    "PARAMETERS",
    "PIXELS",
    "TEXT",
    "UNPACKED",
    "check_threads",
    "check_unpacked",
]

UNPACKED = 4 * 2**30
"""Bytes that must be in memory at once because they are compressed, or that one table of a campaign holds."""

TEXT = 64 * 2**20
"""Bytes of a JSON or CSV file."""

CLASSES = 1_000_000
"""Classes of a data set; a label is smaller than this."""

PIXELS = 89_478_485
"""Pixels of one image file: Pillow's own limit, which it only warns of."""

NUMBERS = 2**24
"""Numbers of one input of which the shape was given in words."""

PARAMETERS = 2_000_000_000
"""Parameters of a network of the zoo."""

NESTING = 20
"""Methods inside settings of methods."""

_THREADS = 64
_PER_PROCESSOR = 4


def check_unpacked(size: int, name: str, advice: str = "") -> None:
    """Raise if something unpacks to more than is held in memory; ``name`` begins the message, ``advice`` ends it."""
    if size > UNPACKED:
        raise InvalidData(f"{name} must unpack to <= {UNPACKED:,} bytes, got {size:,}{advice}")


def check_threads(workers: int | None) -> None:
    """Raise unless so many threads, or processes, are sensible on this machine."""
    most = max(_THREADS, _PER_PROCESSOR * (os.cpu_count() or 1))
    if workers is not None and not 1 <= workers <= most:
        rule = ">= 1" if workers < 1 else f"<= {most} on this machine"
        raise InvalidSetting(f"workers must be {rule}, got {workers}")
