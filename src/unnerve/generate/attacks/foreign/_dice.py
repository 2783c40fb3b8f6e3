"""Random numbers for programs that draw from the global generators, which are left as they were."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch

__all__ = ["dice"]


@contextmanager
def dice(number: int) -> Iterator[Callable[[], bool]]:
    """Seed the generators of torch, numpy and Python with a number; yields drawn(), which says whether any was used."""
    before, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 - what others draw from
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        try:
            torch.manual_seed(number)
            np.random.seed(number % 2**32)  # noqa: NPY002
            random.seed(number)
            begun = _states()
            yield lambda: _states() != begun
        finally:
            np.random.set_state(before)  # noqa: NPY002
            random.setstate(of_python)


def _states() -> tuple[object, ...]:
    _, words, place, *rest = np.random.get_state()  # noqa: NPY002
    return torch.get_rng_state().numpy().tobytes(), np.asarray(words).tobytes(), place, *rest, random.getstate()
