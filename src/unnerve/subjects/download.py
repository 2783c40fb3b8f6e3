"""The official files of well-known data sets, fetched over HTTP, resumed after breaks, and verified."""

import hashlib
import http.client
import tarfile
import tempfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from pathlib import Path

from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused, UnknownName
from unnerve.subjects.datasets._official import SOURCES, OfficialFile

__all__ = ["download"]

Progress = Callable[[str, int, int | None], object]

_PIECE = 2**18
_SECONDS = 60


def download(name: str, folder: str | Path, *, base_url: str | None = None, progress: Progress | None = None) -> None:
    """Fetch the official files of a data set; files that are there and whole are left alone.

    Parameters
    ----------
    name : {"mnist", "fashion-mnist", "cifar10", "cifar100"}
    folder : path
        Where the files go; made if it does not exist.
    base_url : str, optional
        Another place that serves files of the same names.
    progress : callable, optional
        Called as ``progress(file, done, total)`` in bytes; ``total`` is None if the server does not say.
    """
    source = SOURCES.get(name.replace("_", "-").lower())
    if source is None:
        raise UnknownName("data set to download", name, SOURCES)
    url = base_url or source.url
    if not url.startswith(("http://", "https://")):
        raise InvalidSetting(f"base_url must begin with http:// or https://, got '{url}'")
    folder = Path(folder).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in source.files:
            path = folder / file.name
            if not (path.is_file() and _matches(path, file)):
                _fetch(f"{url.rstrip('/')}/{file.name}", path, file, progress)
            if not all((folder / member).is_file() for member in file.members):
                _unpack(path, file.members)
    # What goes wrong on the network has become InvalidData further down; what is left is the disk.
    except OSError as error:
        raise OutputRefused(f"cannot write to '{folder}': {error.strerror or error}") from error


def _fetch(url: str, path: Path, file: OfficialFile, progress: Progress | None) -> None:
    """Fetch a file, going on after every break as long as something arrives each time."""
    part = path.with_name(path.name + ".part")
    fresh = not part.is_file()
    while True:
        before = _size(part)
        problem = _transfer(url, part, progress)
        # As long as something arrives each time, it is the connection; when nothing does, it is the server.
        if problem is not None and _size(part) <= before:
            raise InvalidData(f"{url}: cannot be fetched: {problem}")
        if problem is not None:
            continue
        if _matches(part, file):
            part.replace(path)
            return
        part.unlink()
        # A part of an earlier run may be of another file: only what arrived now tells about the server.
        if fresh:
            raise InvalidData(f"{url}: the file must have the {file.algorithm} {file.checksum}, got another; removed")
        fresh = True


def _transfer(url: str, part: Path, progress: Progress | None) -> str | None:
    """Append what is missing to the part; return what went wrong, or None at the end of the file."""
    start = _size(part)
    headers = {"User-Agent": "unnerve"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=_SECONDS)  # noqa: S310
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and start:
            return None  # nothing is missing; the checksum tells whether it is the right file
        raise InvalidData(f"{url}: cannot be fetched: the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        return str(getattr(error, "reason", "") or error)
    with response:
        resumed = response.status == http.client.PARTIAL_CONTENT
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            part.unlink()
            raise InvalidData(f"{url}: cannot be fetched: the server sent another range than it was asked for")
        return _copy(response, part, start if resumed else 0, progress)


def _copy(response: http.client.HTTPResponse, part: Path, done: int, progress: Progress | None) -> str | None:
    length = response.headers.get("Content-Length")
    total = done + int(length) if length and length.isdigit() else None
    with part.open("ab" if done else "wb") as out:
        while True:
            try:
                piece = response.read(_PIECE)
            except (OSError, http.client.HTTPException) as error:
                return str(error)
            if not piece:
                whole = total is None or done == total
                return None if whole else f"the connection broke after {done} of {total} bytes"
            out.write(piece)
            done += len(piece)
            if progress is not None:
                progress(part.stem, done, total)


def _unpack(path: Path, members: tuple[str, ...]) -> None:
    """Unpack the expected members and nothing else; each gets its name only when it is whole."""
    missing = set(members)
    try:
        with tarfile.open(path) as archive, tempfile.TemporaryDirectory(dir=path.parent) as staging:
            for member in archive:
                if member.name in missing and member.isfile():
                    # Into a folder of its own, then renamed: a break leaves no half of a file under a name that counts.
                    archive.extract(member, staging, filter="data")
                    target = path.parent / member.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    Path(staging, member.name).replace(target)
                    missing.remove(member.name)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise InvalidData(f"{path}: must be an archive, and not damaged: {error}") from error
    if missing:
        raise InvalidData(f"{path}: must hold {', '.join(sorted(missing))}, found none")


def _matches(path: Path, file: OfficialFile) -> bool:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, lambda: hashlib.new(file.algorithm, usedforsecurity=False))
    return digest.hexdigest() == file.checksum


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
