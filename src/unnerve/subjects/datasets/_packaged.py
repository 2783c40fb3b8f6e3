"""Tables of small whole numbers that other packages carry, read without importing those packages."""

import gzip
import zlib
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np

from unnerve.core.errors import InvalidData

__all__ = ["packaged_table"]


def packaged_table(package: str, file: str) -> np.ndarray | None:
    """Return a package's ``.csv.gz`` file as uint8 of shape (N, columns), or None if it is not there."""
    # Importing the package would take a second or more; the file is all that is needed.
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    for path in (Path(folder) / file for folder in folders):
        if path.is_file():
            try:
                return np.loadtxt(BytesIO(gzip.decompress(path.read_bytes())), delimiter=",", dtype=np.uint8)
            except (OSError, EOFError, ValueError, zlib.error) as error:
                raise InvalidData(f"{path}: the file is damaged, install {package} again") from error
    return None
