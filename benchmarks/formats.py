"""Models of other formats against the module they were made of: the same ranking, the same bytes of data."""

import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.core.naming.catalogue import build
from unnerve.studies.rank.scored import scored
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

_DYNAMIC = ({0: torch.export.Dim("batch")},)

Writer = Callable[[torch.nn.Module, torch.Tensor, Path], None]


def onnx_ratio() -> float:
    """Throughput of ranking the ONNX file relative to ranking the module, LeNet-5, one thread."""
    return _ranking_ratio("net.onnx", _write_onnx)


def exported_ratio() -> float:
    """Time of ranking the program of torch.export relative to ranking the module, LeNet-5, one thread."""
    return 1 / _ranking_ratio("net.pt2", _write_exported)


def _ranking_ratio(name: str, write: Writer) -> float:
    lenet, digits, score = network(), examples("mnist5k"), {"pd": build("score", "pd")}
    with tempfile.TemporaryDirectory() as folder, one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # exporters warn of their own future
        write(lenet.module.eval(), digits.batch(range(2)).inputs, Path(folder) / name)
        other = model(Path(folder) / name)
        # Of one thread the time on the processor is the work, however busy the machine is.
        return ratio(
            lambda: scored(other, digits, score),
            lambda: scored(lenet, digits, score),
            rounds=15,
            clock=time.process_time,
        )


def _write_onnx(module: torch.nn.Module, x: torch.Tensor, path: Path) -> None:
    torch.onnx.export(module, (x,), path, dynamic_shapes=_DYNAMIC, dynamo=True, verbose=False)


def _write_exported(module: torch.nn.Module, x: torch.Tensor, path: Path) -> None:
    torch.export.save(torch.export.export(module, (x,), dynamic_shapes=_DYNAMIC), path)
