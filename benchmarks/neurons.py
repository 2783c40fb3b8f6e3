"""Watching neurons against the bare forward pass; one thread, CPU time."""

import time

import torch

from benchmarks.pairs import bare_forward, one_thread, ratio
from benchmarks.scene import network
from unnerve.core.model import Want

__all__ = ["lenet5_ratio", "resnet20_ratio"]


def lenet5_ratio() -> float:
    """Throughput with all 268 neurons watched relative to the bare forward loop, LeNet-5."""
    return _watched("zoo:lenet5", (2048, 1, 28, 28))


def resnet20_ratio() -> float:
    """Throughput with all 1,882 neurons watched relative to the bare forward loop, ResNet-20."""
    return _watched("zoo:resnet20?random", (256, 3, 32, 32))


def _watched(name: str, shape: tuple[int, ...]) -> float:
    subject, x = network(name), torch.rand(shape, generator=torch.Generator().manual_seed(0))
    with one_thread():
        bare = bare_forward(subject.module.eval(), x, time.process_time)
        return ratio(lambda: subject.observe(x, Want.NEURONS), bare, rounds=9, clock=time.process_time)
