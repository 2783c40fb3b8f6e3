"""Comparing two loops fairly on a noisy machine: interleaved, in one process, best of several rounds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unnerve.subjects.memory_format import channels_last

__all__ = ["bare_both", "bare_forward", "one_thread", "ratio", "repeated"]

CampaignRun = Callable[[], object]
Clock = Callable[[], float]


def ratio(ours: CampaignRun, theirs: CampaignRun, rounds: int = 7, clock: Clock = time.perf_counter) -> float:
    """Return how fast ours is relative to theirs (1 = equal, larger = faster), from the best round of each."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, work in enumerate((ours, theirs)):
            best[place] = min(best[place], _seconds(work, clock))
    return best[1] / best[0]


def bare_forward(module: nn.Module, x: Tensor, clock: Clock = time.perf_counter) -> CampaignRun:
    """Return the fastest plain loop over ``x``: the best of several batch sizes in both memory formats."""

    def over(batches: list[Tensor], _size: int) -> CampaignRun:
        def run() -> None:
            with torch.no_grad():
                for batch in batches:
                    module(batch)

        return run

    return _fastest(over, x, clock)


def bare_both(module: nn.Module, x: Tensor, classes: Tensor, clock: Clock = time.perf_counter) -> CampaignRun:
    """Return the fastest plain loop of forward and backward passes, likewise."""

    def over(batches: list[Tensor], size: int) -> CampaignRun:
        leaves = [batch.detach().requires_grad_() for batch in batches]

        def run() -> None:
            for batch, right in zip(leaves, classes.split(size), strict=True):
                torch.autograd.grad(cross_entropy(module(batch), right, reduction="sum"), batch)

        return run

    return _fastest(over, x, clock)


def repeated(work: CampaignRun, times: int) -> CampaignRun:
    """Return the same work so many times."""

    def run() -> None:
        for _ in range(times):
            work()

    return run


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread while the context lasts, so that CPU time is work and not waiting."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _fastest(over: Callable[[list[Tensor], int], CampaignRun], x: Tensor, clock: Clock) -> CampaignRun:
    """Return the fastest of the loops over batches of several sizes in both memory formats."""
    loops = [
        over([arranged(part) for part in x.split(size)], size)
        for size in (64, 128, 256, 512, 1024)
        for arranged in (torch.Tensor.contiguous, channels_last)
    ]
    # One after the other in every round, so that a busy moment is nobody's alone.
    rounds = [[_seconds(loop, clock) for loop in loops] for _ in range(3)]
    best = [min(times) for times in zip(*rounds, strict=True)]
    return loops[best.index(min(best))]


def _seconds(work: CampaignRun, clock: Clock) -> float:
    start = clock()
    work()
    return clock() - start
