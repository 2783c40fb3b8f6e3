"""MobileNetV2: hunts against bare passes, coverage against the bare forward pass; one thread, CPU time."""

import tempfile
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmarks.pairs import one_thread, ratio
from unnerve.core.streams import Streams
from unnerve.studies.cover.cover import cover, profile
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.memory_format import channels_last
from unnerve.subjects.models import model

_ROWS, _STEPS = 32, 4


def hunt_ratio(side: int = 224) -> float:
    """Throughput of a whole hunt by PGD, stored and judged, relative to as many bare forward and backward passes."""
    network, images = _scene(side)

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder:
            hunt(network, tensors(images), f"pgd:steps={_STEPS}", f"{folder}/hunt", inputs=_ROWS, region="linf:8/255")

    def bare() -> None:
        for _ in range(_STEPS):  # choosing the seeds and judging the findings is ours to pay
            _both(network.module, images)

    with one_thread():
        return ratio(ours, bare, 3, time.process_time)


def coverage_cost(side: int = 224) -> float:
    """CPU time of all seven criteria relative to the bare forward pass."""
    network, images = _scene(side)
    data = tensors(images)
    bounds = profile(network, data)

    def ours() -> None:
        cover(network, data, bounds)

    with one_thread():
        return 1 / ratio(ours, lambda: _forward(network.module, images), 3, time.process_time)


def _scene(side: int) -> tuple[TorchModule, Tensor]:
    network = model(f"zoo:mobilenet_v2:size={side}?random")
    assert isinstance(network, TorchModule)
    return network, Streams(0, map(str, range(_ROWS))).uniform(0, 0, (3, side, side))


def _forward(module: nn.Module, images: Tensor) -> None:
    with torch.no_grad():
        module(channels_last(images))  # measured: faster than the other format, and than smaller batches


def _both(module: nn.Module, images: Tensor) -> None:
    leaf = channels_last(images).detach().requires_grad_()
    answers: Callable[[Tensor], Tensor] = module
    classes = torch.zeros(len(images), dtype=torch.int64)
    torch.autograd.grad(cross_entropy(answers(leaf), classes, reduction="sum"), leaf)
