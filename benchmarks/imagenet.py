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

_ROWS, _STEPS, _COVERED = 8, 40, 128
_AT_ONCE = 4
"""Images of the bare passes at a time. Measured on 224 pixels, one thread: forward 18 ms an image with 4 at a time, 20
with 1, 33 with 32; both passes 28, 35 and 42."""


def hunt_ratio(side: int = 224) -> float:
    """Throughput of a whole hunt by PGD, stored and judged, relative to as many bare forward and backward passes.

    Eight photos with PGD's usual 40 steps: 0.61 when this was written. Every step is judged by a forward pass, and a
    hunt begins and ends with others that do not grow with its steps: probes that identify the model, a rehearsal,
    seeds asked again. A shorter hunt pays more for them: four photos with 20 steps reached 0.52 on the same day.
    """
    network, images = _scene(side, _ROWS)

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder:
            hunt(network, tensors(images), f"pgd:steps={_STEPS}", f"{folder}/hunt", inputs=_ROWS, region="linf:8/255")

    def bare() -> None:
        for _ in range(_STEPS):  # choosing the seeds and judging the findings is ours to pay
            _both(network.module, images)

    with one_thread():
        return ratio(ours, bare, 2, time.process_time)


def coverage_cost(side: int = 224) -> float:
    """CPU time of all seven criteria relative to the bare forward pass."""
    network, images = _scene(side, _COVERED)
    data = tensors(images)
    bounds = profile(network, data)

    def ours() -> None:
        cover(network, data, bounds)

    with one_thread():
        return 1 / ratio(ours, lambda: _forward(network.module, images), 3, time.process_time)


def _scene(side: int, rows: int) -> tuple[TorchModule, Tensor]:
    network = model(f"zoo:mobilenet_v2:size={side}?random")
    assert isinstance(network, TorchModule)
    return network, Streams(0, map(str, range(rows))).uniform(0, 0, (3, side, side))


def _forward(module: nn.Module, images: Tensor) -> None:
    with torch.no_grad():
        for part in images.split(_AT_ONCE):
            module(channels_last(part))  # measured: faster than the other format


def _both(module: nn.Module, images: Tensor) -> None:
    answers: Callable[[Tensor], Tensor] = module
    for part in images.split(_AT_ONCE):
        leaf = channels_last(part).detach().requires_grad_()
        classes = torch.zeros(len(leaf), dtype=torch.int64)
        torch.autograd.grad(cross_entropy(answers(leaf), classes, reduction="sum"), leaf)
