"""One request after the other to one address: a connection that is kept, and times that are limited."""

import http.client
import io
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from unnerve.core.storage.limits import TEXT

__all__ = ["Reply", "RequestFailed", "Wire"]

FAILURES = (OSError, http.client.HTTPException)
"""What a connection raises that is refused, cut off or too slow."""

_PIECE = 2**20


class RequestFailed(Exception):
    """A request got no whole reply; ``refused`` says that nobody is there."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem) or type(problem).__name__)
        self.refused = isinstance(problem, ConnectionRefusedError) or "Name or service not known" in str(problem)


@dataclass(frozen=True)
class Reply:
    """What a server sent.

    Parameters
    ----------
    status : int
    kind : str
        The content type, without its parameters.
    body : bytes
    wait : float or None
        Seconds after which the server wants to be asked again.
    """

    status: int
    kind: str
    body: bytes
    wait: float | None = None


class Wire:
    """A connection to one address, opened when it is needed, and anew in another process.

    Parameters
    ----------
    url : str
    timeout : float
        Seconds to wait for the connection, for the request to be taken, and for the whole reply: a server that sends a
        byte now and then would otherwise be waited for without end.
    rate : float or None
        Most requests per second.
    """

    def __init__(self, url: str, timeout: float, rate: float | None) -> None:
        self.url, self.timeout, self.rate = url, timeout, rate
        self._connection: http.client.HTTPConnection | None = None
        self._last = float("-inf")

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_connection": None}  # sockets cannot be sent to other processes

    def __del__(self) -> None:
        self.close()

    def posted(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send one request and return the whole reply, or raise :class:`RequestFailed`."""
        self._wait_for_turn()
        parts = urlsplit(self.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection = self._open()
            connection.request("POST", path, body, dict(headers))
            reply = connection.getresponse()
            content = _content(reply)
        except FAILURES as problem:
            # A request that failed leaves a connection in the middle of a reply: the next one must not read the rest of
            # it.
            self.close()
            raise RequestFailed(problem) from problem
        kind = (reply.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        return Reply(reply.status, kind, content, _seconds(reply.getheader("Retry-After")))

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> http.client.HTTPConnection:
        if self._connection is None:
            parts = urlsplit(self.url)
            kinds: dict[str, Callable[..., http.client.HTTPConnection]] = {
                "http": http.client.HTTPConnection,
                "https": http.client.HTTPSConnection,
            }
            self._connection = kinds[parts.scheme](parts.hostname or "", parts.port, timeout=self.timeout)
            self._connection.response_class = self._reply  # type: ignore[assignment]
        if self._connection.sock is not None:
            self._connection.sock.settimeout(self.timeout)  # the last reply left what was left to it
        return self._connection

    def _reply(self, connected: socket.socket, *more: Any, **named: Any) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(_Hurried(connected, self.timeout), *more, **named)  # type: ignore[arg-type]

    def _wait_for_turn(self) -> None:
        if self.rate is not None:
            time.sleep(max(0.0, self._last + 1 / self.rate - time.monotonic()))
        self._last = time.monotonic()


class _Hurried:
    """What a reply needs of a socket: a file, all of which must be read within so many seconds from now."""

    def __init__(self, connected: socket.socket, seconds: float) -> None:
        self.connected, self.until = connected, time.monotonic() + seconds

    def makefile(self, mode: str) -> io.BufferedReader:
        file = self.connected.makefile(mode, buffering=0)  # type: ignore[call-overload]
        return io.BufferedReader(_HurriedFile(file, self))

    def wait(self) -> None:
        """Let the next read take the time that is left."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.connected.settimeout(left)


class _HurriedFile(io.RawIOBase):
    """Bytes from a socket, as long as there is time."""

    def __init__(self, file: io.RawIOBase, hurried: _Hurried) -> None:
        self.file, self.hurried = file, hurried

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self.hurried.wait()
        return self.file.readinto(buffer)

    def close(self) -> None:
        self.file.close()  # the socket stays open until its files are closed
        super().close()


def _content(reply: http.client.HTTPResponse) -> bytes:
    """Return the body of a reply, or raise if it is cut off, or more than a reply may be."""
    stated, content = reply.length, bytearray()
    while len(content) <= TEXT and (piece := reply.read(_PIECE)):
        content += piece
    if len(content) > TEXT or (stated or 0) > TEXT:
        raise http.client.HTTPException(f"a reply must have <= {TEXT:,} bytes")
    if stated is not None and len(content) < stated:
        raise http.client.IncompleteRead(bytes(content), stated - len(content))
    return bytes(content)


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header; it may be a date, which is not worth reading."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
