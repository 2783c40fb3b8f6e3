"""Comparing two loops fairly on a noisy machine: interleaved, in one process, best of several rounds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

__all__ = ["bare_forward", "one_thread", "ratio"]


def ratio(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return how fast ours is relative to theirs (1 = equal, larger = faster), from the best round of each."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, work in enumerate((ours, theirs)):
            start = clock()
            work()
            best[place] = min(best[place], clock() - start)
    return best[1] / best[0]


def bare_forward(module: nn.Module, x: Tensor, clock: Callable[[], float] = time.perf_counter) -> Callable[[], object]:
    """Return the fastest plain loop over ``x``: the best of several batch sizes in both memory formats."""

    def loop(size: int, layout: torch.memory_format) -> Callable[[], object]:
        batches = [part.contiguous(memory_format=layout) for part in x.split(size)]

        def run() -> None:
            with torch.no_grad():
                for batch in batches:
                    module(batch)

        return run

    layouts = (torch.channels_last, torch.contiguous_format)
    loops = [loop(size, layout) for size in (64, 128, 256, 512, 1024) for layout in layouts]
    return min(loops, key=lambda run: min(_seconds(run, clock) for _ in range(3)))


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread while the context lasts, so that CPU time is work and not waiting."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start
