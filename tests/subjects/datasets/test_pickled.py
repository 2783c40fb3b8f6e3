import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._pickled import pickled_dict
from unnerve.subjects.datasets.cifar10 import cifar10


class _Malicious:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.target}",)


def test_runs_no_code(tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "test_batch"
    file.write_bytes(pickle.dumps({b"data": _Malicious(victim)}))
    with pytest.raises(InvalidData, match=r"test_batch: .*'posix\.system', which is refused"):
        cifar10(tmp_path)
    assert not victim.exists()
    pickle.loads(file.read_bytes())  # noqa: S301 - proves that the file would have done harm
    assert victim.exists()


@pytest.mark.parametrize("name", ["builtins.eval", "builtins.getattr", "numpy.load", "numpy.core.multiarray.scalar"])
def test_refuses_every_other_global(tmp_path: Path, name: str) -> None:
    module, _, attribute = name.rpartition(".")
    file = tmp_path / "file"
    file.write_bytes(f"c{module}\n{attribute}\n.".encode())
    with pytest.raises(InvalidData, match=f"'{name}', which is refused"):
        pickled_dict(file)


def test_refuses_other_containers(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(pickle.dumps(OrderedDict(a=1)))
    with pytest.raises(InvalidData, match=r"collections\.OrderedDict"):
        pickled_dict(file)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, ">i4", np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("protocol", range(6))
def test_reads_arrays(tmp_path: Path, dtype: Any, order: Any, protocol: int) -> None:
    array = np.asarray(np.arange(6).reshape(2, 3), dtype=dtype, order=order)
    file = tmp_path / "file"
    file.write_bytes(pickle.dumps({"a": array}, protocol))
    assert np.array_equal(pickled_dict(file)["a"], array)


@pytest.mark.parametrize("array", [np.zeros(3), np.array([None, "text"]), np.array(["text"]), np.zeros(2, "i4,i4")])
def test_refuses_arrays_of_other_things(tmp_path: Path, array: np.ndarray) -> None:
    file = tmp_path / "file"
    file.write_bytes(pickle.dumps({"a": array}, 2))
    with pytest.raises(InvalidData, match=r"file: the file is damaged: .*whole numbers"):
        pickled_dict(file)


def test_a_number_in_place_of_bytes_allocates_nothing(tmp_path: Path) -> None:
    content = pickle.dumps({"a": np.arange(3, dtype=np.int64)}, 3)
    start = content.index(b"C\x18")
    file = tmp_path / "file"
    file.write_bytes(content[:start] + b"\x8a\x06" + (2**46).to_bytes(6, "little") + content[start + 2 + 24 :])
    with pytest.raises(InvalidData, match="arrays must hold bytes, got int"):
        pickled_dict(file)


def test_refuses_no_dict(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(InvalidData, match="must hold a dict, got list"):
        pickled_dict(file)


def test_damage_anywhere_is_one_clear_error(tmp_path: Path) -> None:
    content = pickle.dumps({b"data": np.zeros((2, 3), np.uint8), b"labels": [1, 2]}, 2)
    file = tmp_path / "file"
    random = np.random.default_rng(0)
    for length in range(len(content)):
        file.write_bytes(content[:length])
        with pytest.raises(InvalidData):
            pickled_dict(file)
    messages = []
    for _ in range(300):
        damaged = bytearray(content)
        damaged[random.integers(len(content))] = random.integers(256)
        file.write_bytes(damaged)
        try:
            pickled_dict(file)
        except InvalidData as error:
            messages.append(str(error))
    assert len(messages) > 50
    assert all(message.startswith(f"{file}: ") for message in messages)
