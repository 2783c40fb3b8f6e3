"""A model behind an address: inputs are sent, answers come back, and what fails for a moment is asked again."""

import io
import json
import time
from typing import Any, Protocol

import numpy as np

from unnerve.core.errors import InvalidModel, ModelUnreachable
from unnerve.subjects.adapters._http import Reply, RequestFailed, Wire

__all__ = ["Asking", "Endpoint"]

_NPY = "application/x-npy"
_PASSING = (408, 425, 429, 500, 502, 503, 504)
"""Replies after which the same request may succeed."""

_INPUTS_FAULT = (400, 413, 422)
"""Replies that say something of the inputs; others, such as 401 or 404, of the address."""

_LONGEST_WAIT = 60.0


class Asking(Protocol):
    """How an endpoint is asked."""

    @property
    def send(self) -> str:
        """``json`` or ``npy``: the form of a request's body."""
        ...

    @property
    def key(self) -> str:
        """The key of the inputs in JSON."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds to wait for the whole of a reply."""
        ...

    @property
    def retries(self) -> int:
        """How often a request is repeated."""
        ...

    @property
    def wait(self) -> float:
        """Seconds before the first repetition; each further one waits twice as long."""
        ...

    @property
    def rate(self) -> float | None:
        """Most requests per second."""
        ...


class Endpoint:
    """Answers of a server.

    Parameters
    ----------
    url : str
    asking : Asking
    headers : dict of str to str
        Sent with every request, such as ``Authorization``.
    """

    def __init__(self, url: str, asking: Asking, headers: dict[str, str]) -> None:
        self.url, self.asking, self.headers = url, asking, headers
        self._wire = Wire(url, asking.timeout, asking.rate)
        self._answered: np.ndarray | None = None

    def __call__(self, x: np.ndarray) -> Any:
        """Return the server's answer to inputs (N, ...): an array, or arrays by name."""
        reply = self._asked(x)
        # 500 may mean that the server is broken, or that these inputs break it: one that answered before tells which.
        if reply.status == 500 and self._answered is not None and self._asked(self._answered).status == 200:
            raise InvalidModel(f"{self.url} answers other inputs, but 500 to these: {_line(reply)}")
        if reply.status in _INPUTS_FAULT:
            raise InvalidModel(f"{self.url} answered {reply.status} to inputs of shape {x.shape}: {_line(reply)}")
        if reply.status != 200:
            raise ModelUnreachable(f"{self.url} answered {reply.status}{self._tried(reply)}: {_line(reply)}")
        self._answered = x[:1].copy()
        return self._read(reply)

    def _asked(self, x: np.ndarray) -> Reply:
        """Return the first reply that repeating the request would not change, or the last one."""
        body, kind = self._body(x)
        headers = {"Content-Type": kind, "Accept": f"application/json, {_NPY}", **self.headers}
        for attempt in range(self.asking.retries + 1):
            wait = self.asking.wait * 2**attempt
            try:
                reply = self._wire.posted(body, headers)
                wait = wait if reply.wait is None else reply.wait
                if reply.status not in _PASSING or attempt == self.asking.retries:
                    return reply
            except RequestFailed as problem:
                # Who was never there need not be waited for.
                if attempt == self.asking.retries or (problem.refused and self._answered is None):
                    raise ModelUnreachable(
                        f"{self.url} cannot be reached: {problem} ({attempt + 1} tr{'y' if attempt == 0 else 'ies'})"
                    ) from problem
            # However long the server asks for: a run that sleeps for an hour cannot be told from one that hangs.
            time.sleep(min(wait, _LONGEST_WAIT))
        raise AssertionError("the last attempt returns or raises")

    def _body(self, x: np.ndarray) -> tuple[bytes, str]:
        if self.asking.send == "json":
            return json.dumps({self.asking.key: x.tolist()}).encode(), "application/json"
        packed = io.BytesIO()
        np.save(packed, x, allow_pickle=False)
        return packed.getvalue(), _NPY

    def _read(self, reply: Reply) -> Any:
        try:
            if reply.kind == _NPY:
                return np.load(io.BytesIO(reply.body), allow_pickle=False)
            answer = json.loads(reply.body)
        except ValueError as problem:
            raise InvalidModel(
                f"{self.url} must answer with JSON or an npy array, got {reply.kind or 'no type'}: {_line(reply)}"
            ) from problem
        if isinstance(answer, dict):
            return {name: _array(part) for name, part in answer.items()}
        return answer

    def _tried(self, reply: Reply) -> str:
        return f" ({self.asking.retries + 1} tries)" if reply.status in _PASSING else ""


def _array(part: object) -> object:
    """Return a list of numbers as an array; whatever else an answer holds is left as it is."""
    try:
        return np.array(part, dtype=np.float64) if isinstance(part, list) else part
    except (TypeError, ValueError):
        return part


def _line(reply: Reply) -> str:
    text = " ".join(reply.body[:400].decode(errors="replace").split())
    return (text[:120] + " ...") if len(text) > 120 else text or "nothing"
