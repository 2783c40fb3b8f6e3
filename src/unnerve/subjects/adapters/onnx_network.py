"""A network in the ONNX format, run by onnxruntime as a function from arrays to answers."""

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch

from unnerve.core.errors import InvalidModel, MissingExtra
from unnerve.subjects.adapters._passes import FLOOR
from unnerve.subjects.declaration import ExpectedInput

__all__ = ["OnnxNetwork"]

_NUMBERS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}
_QUIET = 4
_MOST = 128
_CACHE = 2**20
"""Bytes of input in one run; measured on LeNet-5 and ResNet-20."""


class OnnxNetwork:
    """Answers of an ONNX file; processor threads are as many as torch uses.

    The session is made when it is first needed, and anew in another process or for another number of threads.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._session: Any = None
        self._threads = 0
        inputs = self._running().get_inputs()
        if len(inputs) != 1:
            names = ", ".join(one.name for one in inputs) or "none"
            raise InvalidModel(f"{path}: a classifier must have one input, and this network has {len(inputs)}: {names}")
        if inputs[0].type not in _NUMBERS:
            raise InvalidModel(f"{path}: the input must be floating-point numbers, got {inputs[0].type}")
        self.input: str = inputs[0].name
        self.kind = _NUMBERS[inputs[0].type]
        batch, *sides = inputs[0].shape or (None,)
        self.batch: int | None = _fixed(batch)
        self.expected = ExpectedInput(str(path), tuple(_fixed(side) for side in sides))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_session": None}  # sessions cannot be sent to other processes

    def __call__(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Return the outputs by name, each of as many rows as ``x``."""
        rows = x if x.ndim == 1 + len(self.expected.shape) else x.reshape(self._flat(x))
        self.expected.check(rows.shape[1:])
        rows, session = rows.astype(self.kind, copy=False), self._running()
        size = self.batch or _rows(rows)
        pieces = [self._run(session, rows[start : start + size]) for start in range(0, len(rows), size)]
        names = [one.name for one in session.get_outputs()]
        return {name: np.concatenate([piece[index] for piece in pieces]) for index, name in enumerate(names)}

    def _run(self, session: Any, rows: np.ndarray) -> list[np.ndarray]:
        """Return the outputs for some rows, padded to those that a network takes, or to where kernels round alike."""
        missing = (self.batch or FLOOR) - len(rows)
        given = rows if missing <= 0 else np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
        return [_array(output)[: len(rows)] for output in session.run(None, {self.input: np.ascontiguousarray(given)})]

    def _flat(self, x: np.ndarray) -> tuple[int, ...]:
        """Return the shape of inputs for a network that takes each as one row of numbers."""
        sides = self.expected.shape
        flat = len(sides) == 1 and sides[0] in (None, int(np.prod(x.shape[1:])))
        return (len(x), -1) if flat else x.shape

    def _running(self) -> Any:
        """Return a session with as many threads as torch has now."""
        if self._session is None or self._threads != torch.get_num_threads():
            self._threads = torch.get_num_threads()
            self._session = _session(self.path, self._threads)
        return self._session


def _rows(x: np.ndarray) -> int:
    """Return how many inputs to run at once, so that the outputs of layers stay in cache."""
    return int(np.clip(_CACHE // max(1, x[0].nbytes), FLOOR, _MOST))


def _session(path: Path, threads: int) -> Any:
    runtime = _imported()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _QUIET
    # Threads that wait by spinning take the processor from others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        line = str(problem).splitlines()[0]
        raise InvalidModel(f"{path}: onnxruntime cannot open it: {line}") from problem


def _imported() -> ModuleType:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime  # noqa: PLC0415 - optional
    except ImportError as problem:
        raise MissingExtra("a model in the ONNX format", "onnx") from problem
    runtime: ModuleType = onnxruntime
    return runtime


def _fixed(side: int | str | None) -> int | None:
    """Return the length of a side if it is fixed; others have a name, or none."""
    return side if isinstance(side, int) and side > 0 else None


def _array(output: Any) -> np.ndarray:
    """Return an output as an array; converters of scikit-learn write probabilities as a list of dicts."""
    if isinstance(output, list) and output and isinstance(output[0], dict):
        return np.array([[row[key] for key in sorted(row)] for row in output])
    return np.asarray(output)
