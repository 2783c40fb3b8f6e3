import pickle
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.endpoint_server import Script, pouring, serving
from unnerve.core.errors import InvalidModel, ModelUnreachable
from unnerve.subjects.adapters.endpoint import Endpoint
from unnerve.subjects.forms.http import HTTP
from unnerve.subjects.models import model

FAST = HTTP(timeout=10, retries=3, wait=0.02, batch=16)
QUICK = ",timeout=10,retries=3,wait=0.02,batch=16"
IMPATIENT = ",timeout=0.3,retries=3,wait=0.02,batch=16"


@pytest.fixture
def script(tiny_net: nn.Module) -> Script:
    return Script(tiny_net)


@pytest.fixture
def url(script: Script) -> Iterator[str]:
    with serving(script) as address:
        yield address


def expected(net: nn.Module, x: Tensor) -> Tensor:
    return model(net).observe(x).logits


@pytest.mark.parametrize("send", ["json", "npy"])
@pytest.mark.parametrize("form", ["rows", "object", "npy"])
def test_answers_as_the_network_does(script: Script, url: str, small_images: Tensor, send: str, form: str) -> None:
    script.form = form
    taken = model(f"{url}{QUICK},send={send}")
    assert torch.allclose(taken.observe(small_images).logits, expected(script.net, small_images), atol=1e-5)
    assert script.asked == [(16, 1, 8, 8), (16, 1, 8, 8), (8, 1, 8, 8)], "in batches"


@pytest.mark.parametrize("fault", ["500", "502", "503", "504", "429", "408", "slow", "close", "cut"])
def test_what_fails_for_a_moment_is_asked_again(script: Script, url: str, small_images: Tensor, fault: str) -> None:
    script.faults = ["", fault, fault, ""]
    seen = model(f"{url}{IMPATIENT if fault == 'slow' else QUICK}").observe(small_images)
    assert torch.allclose(seen.logits, expected(script.net, small_images), atol=1e-5)
    assert len(script.times) >= 5
    assert not script.faults


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"X"),
    ],
    ids=["length", "chunks", "until the end", "headers"],
)
def test_a_reply_that_drips_is_not_waited_for(head: bytes, body: bytes) -> None:
    """Each part comes soon enough; all of them never would."""
    start = time.monotonic()
    with pouring(head, body, pause=0.05) as address, pytest.raises(ModelUnreachable, match=r"timed out \(1 try\)"):
        Endpoint(address, replace(FAST, timeout=0.5, retries=0), {})(np.zeros((1, 2), np.float32))
    assert 0.5 <= time.monotonic() - start < 10


@pytest.mark.parametrize("head", [b"", b"Content-Length: 99999999\r\n"], ids=["endless", "announced"])
def test_a_reply_without_end_is_not_kept(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unnerve.subjects.adapters._http.TEXT", 2**20)
    words = r"a reply must have <= 1,048,576 bytes \(1 try\)"
    with (
        pouring(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n", b" " * 2**16) as address,
        pytest.raises(ModelUnreachable, match=words),
    ):
        Endpoint(address, replace(FAST, retries=0), {})(np.zeros((1, 2), np.float32))


def test_a_connection_that_is_kept_has_the_whole_time_again(script: Script, url: str, small_images: Tensor) -> None:
    script.faults = ["", "", "slow", "slow"]
    seen = model(f"{url},timeout=1,retries=0,batch=16").observe(small_images)
    assert torch.allclose(seen.logits, expected(script.net, small_images), atol=1e-5)


def test_waits_longer_and_longer_between_tries(script: Script, url: str, small_images: Tensor) -> None:
    script.faults = ["503", "503", "503"]
    Endpoint(url, replace(FAST, wait=0.1), {})(small_images[:2].numpy())
    gaps = [after - before for before, after in pairwise(script.times)]
    assert [gap >= least for gap, least in zip(gaps, (0.1, 0.2, 0.4), strict=True)] == [True] * 3


def test_waits_as_long_as_the_server_says(script: Script, url: str, small_images: Tensor) -> None:
    script.faults = ["429"]
    Endpoint(url, FAST, {})(small_images[:2].numpy())
    assert script.times[1] - script.times[0] >= 0.2


def test_the_rate_is_kept(script: Script, url: str, small_images: Tensor) -> None:
    start = time.monotonic()
    model(f"{url}{QUICK},rate=10").observe(small_images)
    # From the start: on a busy machine one request may be taken up late, and the next one after it at once.
    assert all(taken - start >= 0.099 * place for place, taken in enumerate(script.times))


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (
            "rows",
            InvalidModel,
            r"output must have shape \(16, classes\), got model str, version \(1,\), logits \(15, 4\)",
        ),
        ("nan", InvalidModel, "output has NaN or infinite values"),
        ("text", InvalidModel, "must answer with JSON or an npy array, got text/html: <html>hello</html>"),
        ("422", InvalidModel, r"answered 422 to inputs of shape \(16, 1, 8, 8\): out of order"),
        ("404", ModelUnreachable, "answered 404: out of order"),
        ("401", ModelUnreachable, "answered 401: out of order"),
        ("500", ModelUnreachable, r"answered 500 \(4 tries\): out of order"),
        ("503", ModelUnreachable, r"answered 503 \(4 tries\): out of order"),
        ("slow", ModelUnreachable, r"cannot be reached: timed out \(4 tries\)"),
        ("close", ModelUnreachable, r"cannot be reached: .* \(4 tries\)"),
    ],
)
def test_what_lasts_is_one_clear_line(
    script: Script, url: str, small_images: Tensor, fault: str, kind: type[Exception], words: str
) -> None:
    script.lasting = fault
    with pytest.raises(kind, match=words) as error:
        model(f"{url}{IMPATIENT if fault == 'slow' else QUICK}").observe(small_images)
    assert "\n" not in str(error.value)


def test_an_input_that_the_server_cannot_take_is_told_from_a_server_that_is_lost(
    script: Script, url: str, small_images: Tensor
) -> None:
    images, script.refused = small_images.clone(), 0.95
    images[:, 0, 0, 0] = 0.5
    taken = model(f"{url},retries=1,wait=0.01")
    taken.observe(images[:4])
    images[5, 0, 0, 0] = 1.0
    with pytest.raises(InvalidModel, match="answers other inputs, but 500 to these: out of order"):
        taken.observe(images[4:8])


def test_who_was_never_there_is_not_waited_for() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(ModelUnreachable, match=rf"^http://127\.0\.0\.1:{port}/x cannot be reached: .* \(1 try\)$"):
        model(f"http://127.0.0.1:{port}/x,wait=30").observe(torch.rand(1, 1, 8, 8))
    assert time.monotonic() - start < 25


def test_travels_to_other_processes(script: Script, url: str, small_images: Tensor) -> None:
    endpoint = Endpoint(url, FAST, {})
    first = endpoint(small_images[:2].numpy())["logits"]
    other = pickle.loads(pickle.dumps(endpoint))  # noqa: S301 - our own
    assert np.array_equal(other(small_images[:2].numpy())["logits"], first)


def test_one_connection_is_kept(script: Script, url: str, small_images: Tensor) -> None:
    endpoint = Endpoint(url, FAST, {})
    endpoint(small_images[:1].numpy())
    kept = endpoint._wire._connection
    endpoint(small_images[:1].numpy())
    assert endpoint._wire._connection is kept is not None
