"""Compressed Arrow files are told by their headers, before anything of them is unpacked."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.subjects.datasets.saved import saved
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._saved.packing import is_compressed
from unnerve.subjects.datasets.hf import hf

CODED = pa.array(["a", "b"] * 5).dictionary_encode()


def _written(path: Path, compression: str | None) -> Path:
    table = pa.table({"x": np.zeros(10), "kind": CODED})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_what_is_compressed_is_refused(tmp_path: Path, compression: str) -> None:
    folder = saved(tmp_path / "set", {"x": [0.0, 1.0]}, {})
    assert not is_compressed(str(_written(tmp_path / "plain.arrow", None)))
    (file,) = folder.glob("*.arrow")
    assert is_compressed(str(_written(file, compression)))
    with pytest.raises(InvalidData, match=r"arrow: must be written without compression, as save_to_disk does"):
        hf(folder)


def test_damaged_headers_are_no_crash(tmp_path: Path) -> None:
    path = _written(tmp_path / "a.arrow", "zstd")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x81]) + whole[place + 1 :])
        try:
            is_compressed(str(path))
        except (pa.ArrowException, OSError):
            continue
