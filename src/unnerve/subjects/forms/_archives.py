"""Looking into the archives that torch writes, before torch loads them: loading can run code."""

import json
import zipfile
from pathlib import Path
from typing import Any

import torch

from unnerve.core.errors import InvalidModel
from unnerve.core.storage.limits import TEXT

__all__ = ["TorchArchive", "Untrusted"]


class Untrusted(Exception):
    """Why a file could run code, or cost more than it should, when it is loaded."""

    def error(self, path: Path) -> InvalidModel:
        """Return what to tell the user of a file."""
        return InvalidModel(
            f"{path}: refused, since loading it could run code stored in it: {self}; --trust opens it all the same, if "
            "you trust whoever made it"
        )


class TorchArchive:
    """The records of an archive, found by the reader with which torch itself will find them.

    Raises :class:`Untrusted` where another reader would find something else, or where reading would take much memory.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._reader: Any = torch._C.PyTorchFileReader(str(path))
        self.names: tuple[str, ...] = tuple(self._reader.get_all_records())
        with zipfile.ZipFile(path) as file:
            entries = file.infolist()
        # Two readers that see different records are how a file passes a check and loads something else.
        seen = sorted(entry.filename.partition("/")[2] for entry in entries)
        if seen != sorted(self.names) or len({name.lower() for name in seen}) < len(seen):
            raise Untrusted("it has records that readers see differently")
        # Records of numbers are stored as they are; whatever is compressed must be text.
        packed = sum(entry.file_size for entry in entries if entry.compress_type != zipfile.ZIP_STORED)
        if packed > TEXT:
            raise Untrusted(f"its compressed records must have <= {TEXT:,} bytes, got {packed:,}")

    def record(self, name: str) -> bytes:
        """Return what a record holds."""
        data: bytes = self._reader.get_record(name)
        return data

    def text(self, name: str) -> str:
        """Return a record of text."""
        data = self.record(name)
        if len(data) > TEXT:
            raise Untrusted(f"{name} must have <= {TEXT:,} bytes, got {len(data):,}")
        return data.decode("utf-8")

    def value(self, name: str) -> Any:
        """Return a record of JSON."""
        return json.loads(self.text(name))
