"""Pickled containers of numbers, bytes and arrays, read without running anything that the file names.

A pickle is a program: it may call whatever it can import. Here it can import only the stand-ins below, which
do nothing but keep what they are given; real arrays are made afterwards, from values that have been checked.
"""

import pickle
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from unnerve.core.errors import InvalidData, UserError

__all__ = ["pickled_dict"]


def pickled_dict(path: Path) -> dict[str, Any]:
    """Return a pickled dict with its arrays; keys of bytes, which Python 2 wrote, become strings.

    Parameters
    ----------
    path : Path
        The pickle may hold containers, numbers, strings, bytes and arrays of whole numbers.
    """
    try:
        content = _Reader(path).load()
        if not isinstance(content, dict):
            raise InvalidData(f"{path}: must hold a dict, got {type(content).__name__}")
        return {_text(key): _plain(value) for key, value in content.items()}
    except UserError:
        raise
    # A damaged pickle may fail in any way at all: every instruction in it may be wrong.
    except Exception as error:
        raise InvalidData(f"{path}: the file is damaged: {type(error).__name__}: {error}") from error


@dataclass
class _Dtype:
    code: str | bytes
    align: object = False
    copy: object = True
    order: str | bytes = "|"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]

    def real(self) -> np.dtype[np.generic]:
        name = _text(self.code)
        if name[:1] not in {"u", "i"} or name[1:] not in {"1", "2", "4", "8"}:
            raise ValueError(f"arrays must hold whole numbers, got {name!r}")
        return np.dtype((">" if _text(self.order) == ">" else "<") + name)


class _Array:
    def __init__(self, *_: object) -> None:
        self.state: tuple[Any, ...] = ()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.state = state

    def real(self) -> np.ndarray:
        _, shape, dtype, fortran, content = self.state
        kind = dtype.real()
        if not isinstance(content, bytes | bytearray):
            raise TypeError(f"arrays must hold bytes, got {type(content).__name__}")
        order = "F" if fortran else "C"
        return np.frombuffer(content, kind).reshape(shape, order=order)  # type: ignore[call-overload, no-any-return]


def _from_buffer(content: bytes, dtype: _Dtype, shape: tuple[int, ...], order: str) -> _Array:
    array = _Array()
    array.__setstate__((1, shape, dtype, order == "F", content))
    return array


def _encoded(text: str, encoding: str = "latin1") -> bytes:
    # Python 3 writes bytes in this way for Python 2.
    return text.encode("latin1")


_ALLOWED = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _encoded,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
}


# The reader written in Python: in the one written in C a single damaged byte can ask for gigabytes of memory.
class _Reader(pickle._Unpickler):
    def __init__(self, path: Path) -> None:
        super().__init__(BytesIO(path.read_bytes()), encoding="bytes")
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise InvalidData(
                f"{self._path}: the pickle must hold plain data only, got '{module}.{name}', which is refused"
            )
        return _ALLOWED[module, name]


def _plain(value: object) -> Any:
    return value.real() if isinstance(value, _Array) else value


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
