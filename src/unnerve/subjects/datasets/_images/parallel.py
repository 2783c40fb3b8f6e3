"""Work on many files in several threads: decoders let go of Python's lock."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from unnerve.core.progress import show_work

__all__ = ["in_threads"]

S = TypeVar("S")
T = TypeVar("T")

# Small images decode in less time than a thread takes to be given its next task.
_PIECE = 16


def in_threads(work: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
    """Yield the results in the order of the items; what the first item that fails raises is raised.

    There are as many threads as torch uses, so that ``--workers`` holds here too.
    """
    threads = torch.get_num_threads()
    if threads == 1:
        for item in items:
            yield work(item)
            show_work()
        return
    pieces = range(0, len(items), _PIECE)
    with ThreadPoolExecutor(threads) as pool:

        def piece(start: int) -> list[T]:
            return [work(item) for item in items[start : start + _PIECE]]

        for results in pool.map(piece, pieces):
            yield from results
            show_work()
