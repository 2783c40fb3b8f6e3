"""``http://...``: a model behind an address."""

import os
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.subjects.adapters.endpoint import Endpoint
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["HTTP"]


@dataclass(frozen=True)
class HTTP:
    """A server that is sent inputs and answers with probabilities or logits: ``http://host:8000/predict,timeout=5``.

    Each request is a POST of some inputs: JSON ``{"inputs": [...]}``, or the bytes of a float32 array in numpy's npy
    format. The answer is JSON, a list of rows or an object that holds one, or npy. Requests that fail for a moment are
    repeated. A server that is lost ends a campaign, and ``--resume`` goes on.

    Parameters
    ----------
    send : str
        ``json`` or ``npy``.
    key : str
        The key of the inputs in JSON; ``instances`` for TensorFlow Serving and KServe.
    batch : int
        Most inputs in one request.
    timeout : float
        Seconds to wait for the whole of a reply.
    retries : int
        How often a request is repeated after a reply such as 500 or 503, a connection that is lost, or no reply.
    wait : float
        Seconds before the first repetition, unless the server says how long; each further one waits twice as long.
    rate : float, optional
        Most requests per second.
    token : str, optional
        The environment variable that holds a token, sent as ``Authorization: Bearer``; it is stored nowhere.
    """

    send: str = "json"
    key: str = "inputs"
    batch: int = 64
    timeout: float = 30.0
    retries: int = 4
    wait: float = 0.5
    rate: float | None = None
    token: str | None = None

    shown: ClassVar[str] = "http://HOST/PATH"
    also: ClassVar[tuple[str, ...]] = ("https",)

    def __post_init__(self) -> None:
        if self.send not in ("json", "npy"):
            raise InvalidSetting(f"http: send must be json or npy, got '{self.send}'")
        for name in ("batch", "timeout", "rate"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InvalidSetting(f"http: {name} must be > 0, got {value}")
        for name in ("retries", "wait"):
            if not getattr(self, name) >= 0:
                raise InvalidSetting(f"http: {name} must be >= 0, got {getattr(self, name)}")

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Return a function that asks the server; nothing is sent yet."""
        if options.weights is not None:
            raise InvalidSetting(f"{place} has its own weights; leave --weights away")
        try:
            parts = urlsplit(place)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound:
            raise InvalidModel(f"an endpoint must be http://HOST:PORT/PATH, got '{place}'")
        declared = Declaration(f"endpoint, {self.send} of at most {self.batch} inputs", at_most=self.batch)
        return Opened(Endpoint(place, self, self._headers()), declared)

    def _headers(self) -> dict[str, str]:
        if self.token is None:
            return {}
        # Never from the command line: that is stored in plans and shown in reports.
        value = os.environ.get(self.token)
        if not value:
            raise InvalidSetting(f"http: token must name an environment variable with a value, got '{self.token}'")
        return {"Authorization": f"Bearer {value}"}
