"""Arrays in npz files: stored ones are read piece by piece, compressed ones at once, pickled ones never."""

import lzma
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import check_unpacked
from unnerve.subjects.datasets._tables.rows import ArrayRows, FileRows

__all__ = ["Archive"]

_STORE_IT = "; written by np.savez, without compression, it is read piece by piece"
_LOCAL_HEADER = struct.Struct("<26xHH")
_PIECE = 2**20
_PACKED = 2**12  # bytes that are unpacked at a time: LZMA may make 30 megabytes of them
_CHECKED = 2**28  # a stored array up to this size has its checksum verified at once (0.2 s)


class _Header(NamedTuple):
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[np.generic]
    size: int


@dataclass(frozen=True)
class Archive:
    """An npz file, whose arrays are named by keys."""

    path: Path

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the arrays."""
        with self._opened() as file:
            return _keys(file)

    def array(self, key: str) -> np.ndarray:
        """Return an array."""
        with self._opened() as file:
            info = self._info(file, key)
            with file.open(info) as member:
                header = self._header(member, info)
                check_unpacked(info.file_size, f"{self.path}: {key}", _STORE_IT)
                content = np.frombuffer(_unpacked(member, info.file_size - header.size), header.dtype)
        return content.reshape(header.shape, order="F" if header.fortran else "C")

    def rows(self, key: str) -> ArrayRows | FileRows:
        """Return the rows of an array, shape (N, ...); a stored array is left in the file."""
        with self._opened() as file:
            info = self._info(file, key)
            with file.open(info) as member:
                header = self._header(member, info)
                stored = info.compress_type == ZIP_STORED and not header.fortran and len(header.shape) > 0
                while stored and info.file_size <= _CHECKED and member.read(_PIECE):
                    pass  # the zip module compares the checksum when it reaches the end
            if stored:
                return FileRows(self.path, self._begin(info) + header.size, header.shape, header.dtype)
        return ArrayRows(self.array(key))

    @contextmanager
    def _opened(self) -> Iterator[ZipFile]:
        try:
            with ZipFile(self.path) as file:
                yield file
        # RuntimeError stands for encryption, and for a compression that this Python does not know
        except (BadZipFile, OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError) as error:
            raise InvalidData(f"{self.path}: must be an npz file, and not damaged: {error}") from error

    def _info(self, file: ZipFile, key: str) -> ZipInfo:
        if key not in (found := _keys(file)):
            # Those of Keras, which nearly everybody has met, hold nothing but splits.
            splits = [one.removeprefix(f"{key}_") for one in found if one.startswith(f"{key}_")]
            hint = f"; --split {splits[-1]} reads '{key}_{splits[-1]}'" if splits else ""
            raise InvalidData(f"{self.path}: must hold an array '{key}', found: {', '.join(found) or 'none'}{hint}")
        info = file.getinfo(f"{key}.npy")
        # Of bzip2, a kilobyte may be gigabytes before the first of them can be counted.
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED, ZIP_LZMA):
            raise InvalidData(f"{self.path}: {key} must be stored, deflated or LZMA, got another compression")
        return info

    def _header(self, member: IO[bytes], info: ZipInfo) -> _Header:
        # Only the header is parsed by numpy: np.load would unpickle, or map, what the file names.
        version = npy.read_magic(member)
        reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = reader(member)
        name = f"{self.path}: {info.filename.removesuffix('.npy')}"
        if dtype.hasobject:
            raise InvalidData(f"{name} must be an array of plain values, got pickled objects")
        expected = member.tell() + prod(shape) * dtype.itemsize
        # A header may announce any shape; believed, it would decide how much memory is taken.
        if info.file_size != expected:
            raise InvalidData(f"{name} must have {expected} bytes for the shape {shape}, got {info.file_size}")
        return _Header(shape, fortran, dtype, member.tell())

    def _begin(self, info: ZipInfo) -> int:
        """Return where the member's bytes begin: after its local header, a name and an extra field."""
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            name, extra = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        return info.header_offset + _LOCAL_HEADER.size + int(name) + int(extra)


def _unpacked(member: IO[bytes], size: int) -> bytearray:
    """Return so many bytes, unpacked piece by piece: asked for all, the zip module unpacks more than it returns."""
    content = bytearray()
    while len(content) < size and (piece := member.read(min(_PACKED, size - len(content)))):
        content += piece
    return content


def _keys(file: ZipFile) -> tuple[str, ...]:
    return tuple(name.removesuffix(".npy") for name in file.namelist() if name.endswith(".npy"))
