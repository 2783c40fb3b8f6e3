"""What one file, or one slip of the finger, may cost at most; ``docs/reference/limits.md`` states the same."""

import os
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, is_zipfile

from unnerve.core.errors import InvalidData, InvalidSetting

__all__ = [
    "CELLS",
    "CLASSES",
    "NESTING",
    "NUMBERS",
    "PARAMETERS",
    "PIXELS",
    "PROOFS",
    "ROWS",
    "TEXT",
    "UNPACKED",
    "check_packed",
    "check_table",
    "check_threads",
    "check_unpacked",
]

UNPACKED = 4 * 2**30
"""Bytes that must be in memory at once because they are compressed, or that one table of a campaign holds."""

TEXT = 64 * 2**20
"""Bytes of a JSON or CSV file."""

CLASSES = 1_000_000
"""Classes of a data set; a label is smaller than this."""

ROWS = 2**25
"""Rows of a table; of each, the label is kept in memory."""

CELLS = 2**34
"""Numbers of a table; what of them is too much for memory goes to a temporary file."""

PIXELS = 89_478_485
"""Pixels of one image file: Pillow's own limit, which it only warns of."""

NUMBERS = 2**24
"""Numbers of one input of which the shape was given in words."""

PARAMETERS = 2_000_000_000
"""Parameters of a network of the zoo."""

NESTING = 20
"""Methods inside settings of methods."""

PROOFS = 1000
"""Runs in which an error of an unstable model must show."""

_THREADS = 64
_PER_PROCESSOR = 4


def check_unpacked(size: int, name: str, advice: str = "") -> None:
    """Raise if something unpacks to more than is held in memory; ``name`` begins the message, ``advice`` ends it."""
    if size > UNPACKED:
        raise InvalidData(f"{name} must unpack to <= {UNPACKED:,} bytes, got {size:,}{advice}")


def check_table(rows: int, columns: int, name: str) -> None:
    """Raise if a table has more rows, or more numbers, than are read of one; ``name`` begins the message."""
    if rows > ROWS:
        raise InvalidData(f"{name}: a table must have <= {ROWS:,} rows, got {rows:,}")
    if rows * columns > CELLS:
        raise InvalidData(f"{name}: a table must have <= {CELLS:,} numbers, got {rows * columns:,}")


def check_packed(file: Path | IO[bytes], name: str) -> None:
    """Raise if what is compressed in a zip file unpacks to more than is held in memory; other files pass.

    Only deflated records can be unpacked piece by piece: of other kinds a kilobyte may be gigabytes at once.
    """
    if not is_zipfile(file):
        return
    with ZipFile(file) as archive:
        packed = [one for one in archive.infolist() if one.compress_type != ZIP_STORED]
    strange = next((one.filename for one in packed if one.compress_type != ZIP_DEFLATED), None)
    if strange is not None:
        raise InvalidData(f"{name}: {strange} must be stored or deflated, got another compression")
    check_unpacked(sum(one.file_size for one in packed), f"{name}: what is compressed in it")


def check_threads(workers: int | None) -> None:
    """Raise unless so many threads, or processes, are sensible on this machine."""
    most = max(_THREADS, _PER_PROCESSOR * (os.cpu_count() or 1))
    if workers is not None and not 1 <= workers <= most:
        rule = ">= 1" if workers < 1 else f"<= {most} on this machine"
        raise InvalidSetting(f"workers must be {rule}, got {workers}")
