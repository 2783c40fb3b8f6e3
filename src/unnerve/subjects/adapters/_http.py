"""One request after the other to one address: a connection that is kept, and times that are limited."""

import http.client
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["Reply", "RequestFailed", "Wire"]

FAILURES = (OSError, http.client.HTTPException)
"""What a connection raises that is refused, cut off or too slow."""


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
        Seconds to wait for the connection, and for each part of a reply.
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
            content = reply.read()
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
        return self._connection

    def _wait_for_turn(self) -> None:
        if self.rate is not None:
            time.sleep(max(0.0, self._last + 1 / self.rate - time.monotonic()))
        self._last = time.monotonic()


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header; it may be a date, which is not worth reading."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
