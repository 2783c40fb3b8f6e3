"""A folder of files that appear whole or not at all, on a disk or on anything that fsspec can reach."""

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from unnerve.campaign._lock import locked
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.storage.files import check_replaceable
from unnerve.core.storage.limits import UNPACKED
from unnerve.core.storage.parts import part_of, remove_dead_parts

__all__ = ["ABSENT", "Folder"]

ABSENT = (FileNotFoundError, NotADirectoryError)
"""What a file that is not there raises."""
_ARCHIVES = ("zip", "tar", "libarchive")
Write = Callable[[IO[bytes]], object]


class Folder:
    """Where a campaign's files lie; their names are relative to it.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if "::" not in path and path.partition("://")[0] in _ARCHIVES:
            raise InvalidSetting(f"{path}: a path within an archive must name it, such as zip://runs/one::runs.zip")
        try:
            self._files, self._root = fsspec.core.url_to_fs(path)
        except (ValueError, ImportError, OSError) as problem:
            raise InvalidSetting(f"{path}: {problem}") from problem

    @property
    def is_local(self) -> bool:
        """Whether it lies on a disk of this machine."""
        return isinstance(self._files, LocalFileSystem)

    @property
    def address(self) -> str:
        """The path in full, for a process with another working folder."""
        return str(self._root) if self.is_local else self.path

    def held(self, lock: str) -> AbstractContextManager[None]:
        """Return a context that keeps other processes away; on stores without locks they do the same work twice."""
        return locked(self._at(lock), self.path) if self.is_local else nullcontext()

    def make(self, *folders: str) -> None:
        """Make folders within, and it itself."""
        try:
            for folder in folders:
                self._files.makedirs(self._at(folder), exist_ok=True)
        except OSError as problem:
            raise OutputRefused(f"cannot write to {self.path}: {problem.strerror or problem}") from problem

    def names(self, folder: str) -> set[str]:
        """Return the names of the files in a folder within; none if there is no such folder."""
        self._files.invalidate_cache()
        try:
            return {name.rpartition("/")[2] for name in self._files.ls(self._at(folder), detail=False)}
        except ABSENT:
            return set()

    def holds(self, name: str) -> bool:
        """Say whether a file is there."""
        # Other workers write too, and stores remember listings that they have seen.
        self._files.invalidate_cache()
        return bool(self._files.exists(self._at(name)))

    def content(self, name: str, most: int = UNPACKED) -> bytes:
        """Return what a file holds; raises ``OSError``, or ``InvalidData`` if it is no file or has more bytes."""
        size = self._size(name)
        if size > most:
            raise InvalidData(f"{self.path}: {name} must have <= {most:,} bytes, got {size:,}")
        data: bytes = self._files.cat_file(self._at(name))
        return data

    def opened(self, name: str) -> Any:
        """Open a file for reading, in binary; raises as :meth:`content` does."""
        self._size(name)
        return self._files.open(self._at(name), "rb")

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and can be removed."""
        with suppress(OSError):
            self._files.rm_file(self._at(name))

    def set_aside(self, name: str) -> str:
        """Move a file into the folder ``damaged``, under a name that is free there; return that name."""
        self.make("damaged")
        stem, _, ending = name.rpartition("/")[2].rpartition(".")
        taken = self.names("damaged")
        # Damaged twice, a file keeps both: the first may be all that is left of the evidence.
        free = next(one for number in count() if (one := f"{stem}.{number}.{ending}") not in taken)
        try:
            self._files.mv(self._at(name), self._at(f"damaged/{free}"))
        except OSError as problem:
            raise OutputRefused(f"cannot move {self.path}/{name}: {problem.strerror or problem}") from problem
        return f"damaged/{free}"

    def write(self, name: str, write: Write, durable: bool = True) -> None:
        """Write to a temporary name, then rename; what is durable has reached the disk when this returns.

        The temporary name is hidden, so that whoever reads the folder as one data set passes over what a crash left.
        """
        try:
            (_write_here if self.is_local else self._write_elsewhere)(self._at(name), write, durable)
        except OSError as problem:
            raise OutputRefused(f"cannot write {self.path}/{name}: {problem.strerror or problem}") from problem

    def remove_dead_parts(self, *folders: str) -> None:
        """Remove what killed processes left half written; elsewhere than on a disk nobody can tell who is alive."""
        for folder in folders if self.is_local else ():
            remove_dead_parts(Path(self._at(folder)))

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _size(self, name: str) -> int:
        """Return how many bytes a file has; raises if it is none: to read a pipe or a device may take for ever."""
        if not self.is_local:
            return int(self._files.info(self._at(name)).get("size") or 0)
        found = os.stat(self._at(name))  # noqa: PTH116 - a path of fsspec
        if not stat.S_ISREG(found.st_mode):
            raise InvalidData(f"{self.path}: {name} must be a file")
        return found.st_size

    def _write_elsewhere(self, place: str, write: Write, _durable: bool) -> None:
        folder, _, name = place.rpartition("/")
        # Two workers that do the same work must not write into one another's file.
        part = f"{folder}/.{name}.{secrets.token_hex(4)}.part"
        try:
            with self._files.open(part, "wb") as file:
                write(file)
            self._files.mv(part, place)
        finally:
            with suppress(OSError):
                self._files.rm_file(part)


def _write_here(place: str, write: Write, durable: bool) -> None:
    target = Path(place)
    check_replaceable(target)
    with part_of(target) as part:
        with part.open("wb") as file:
            write(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        # Renaming is atomic; a reader sees the old file or the new one, never a part.
        part.replace(target)
    if durable:
        _settle(target.parent)


def _settle(folder: Path) -> None:
    """Have the system write down a folder's new names, where it can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
