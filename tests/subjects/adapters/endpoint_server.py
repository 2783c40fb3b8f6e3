"""A server on this machine that answers as a network does, and fails as it is told to."""

import io
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import torch
from torch import nn

__all__ = ["Script", "pouring", "serving"]


@dataclass
class Script:
    """What the server does, and what it has seen.

    Parameters
    ----------
    net : nn.Module
    faults : list of str
        What the next requests get instead of an answer, one each: a status, ``slow``, ``close``, ``cut``, ``rows``,
        ``nan``, ``text``; an empty text for an answer.
    form : str
        Of the answers: ``rows``, ``object``, ``npy``.
    lasting : str
        What every request gets.
    refused : float or None
        Inputs whose first number is above this get a 500.
    """

    net: nn.Module
    faults: list[str] = field(default_factory=list)
    form: str = "object"
    lasting: str = ""
    refused: float | None = None
    asked: list[tuple[int, ...]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    dies_after: int | None = None


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Serve on a free port of this machine while the context lasts; yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/predict"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def pouring(head: bytes, body: bytes, pause: float = 0.0) -> Iterator[str]:
    """Serve one reply that never ends, while the context lasts; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def pour() -> None:
            with suppress(OSError), listening.accept()[0] as connected:
                connected.recv(2**16)
                connected.sendall(head)
                while not ended.wait(pause):
                    connected.sendall(body)

        thread = threading.Thread(target=pour, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/predict"
        ended.set()
        thread.join(10)


def handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Scripted(Handler):
        pass

    Scripted.script = script
    return Scripted


class Handler(BaseHTTPRequestHandler):
    """Answers by a script."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *_: object) -> None: ...

    def do_POST(self) -> None:
        script, body = self.script, self.rfile.read(int(self.headers["Content-Length"]))
        x = inputs(body, self.headers["Content-Type"])
        script.asked.append(x.shape)
        script.times.append(time.monotonic())
        script.headers.append(dict(self.headers))
        fault = script.faults.pop(0) if script.faults else script.lasting
        if script.dies_after is not None and len(script.times) > script.dies_after:
            fault = "close"
        if script.refused is not None and bool((x.reshape(len(x), -1)[:, 0] > script.refused).any()):
            fault = "500"
        self.answer(x, fault)

    def answer(self, x: np.ndarray, fault: str) -> None:
        if fault == "close":
            self.close_connection = True
            return
        if fault == "slow":
            time.sleep(0.6)
        if fault.isdigit():
            self.reply(int(fault), b"out of order", "text/plain")
            return
        with torch.no_grad():
            rows = self.script.net(torch.from_numpy(x.astype(np.float32))).numpy()
        rows = rows[:-1] if fault == "rows" else rows * np.nan if fault == "nan" else rows
        content, kind = answered(rows, self.script.form)
        if fault == "text":
            content, kind = b"<html>hello</html>", "text/html"
        self.reply(200, content, kind, cut=fault == "cut")

    def reply(self, status: int, content: bytes, kind: str, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if status == 429:
            self.send_header("Retry-After", "0.2")
        self.end_headers()
        with suppress(BrokenPipeError):  # who asked may not have waited
            self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = self.close_connection or cut


def inputs(body: bytes, kind: str) -> np.ndarray:
    if kind == "application/x-npy":
        found: np.ndarray = np.load(io.BytesIO(body), allow_pickle=False)
        return found
    sent = json.loads(body)
    assert len(sent) == 1
    return np.array(next(iter(sent.values())))


def answered(rows: np.ndarray, form: str) -> tuple[bytes, str]:
    if form == "npy":
        packed = io.BytesIO()
        np.save(packed, rows)
        return packed.getvalue(), "application/x-npy"
    made = rows.tolist() if form == "rows" else {"model": "tiny", "version": [1], "logits": rows.tolist()}
    return json.dumps(made).encode(), "application/json; charset=utf-8"
