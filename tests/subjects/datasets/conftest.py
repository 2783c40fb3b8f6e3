"""Small files in the official formats."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

IdxFolder = Callable[..., Path]


@pytest.fixture
def idx_folder(tmp_path: Path) -> IdxFolder:
    """Return a function that writes a folder in the form of MNIST; image i is filled with the value i."""

    def write(count: int = 7, packed: bool = False, labels: int | None = None) -> Path:
        images = np.arange(count, dtype=np.uint8).repeat(28 * 28)
        wanted = count if labels is None else labels
        for stem in ("train", "t10k"):
            name = f"{stem}-images-idx3-ubyte"
            _put(tmp_path / name, struct.pack(">4I", 0x803, count, 28, 28) + images.tobytes(), packed)
            answers = (np.arange(wanted) % 10).astype(np.uint8)
            name = f"{stem}-labels-idx1-ubyte"
            _put(tmp_path / name, struct.pack(">2I", 0x801, wanted) + answers.tobytes(), packed)
        return tmp_path

    return write


def _put(path: Path, content: bytes, packed: bool) -> None:
    if packed:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))
    else:
        path.write_bytes(content)
