"""What all noises share: they try, and learn nothing from it."""

from collections.abc import Callable, Generator

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["blind", "check_iterations"]

Draw = Callable[[Tensor, int], Tensor]
"""(rows (A,), iteration) -> changed inputs of these seeds, (A, ...)."""


def blind(subject: Subject[Metered], seeds: Seeds, iterations: int, draw: Draw) -> Generator[Candidates, Tensor, None]:
    """Yield one changed input per seed and iteration; each try costs the query with which one would look at it."""
    rows = torch.arange(len(seeds))
    for step in range(iterations):
        # The answer is never looked at here, but a try without a query would be free, and in an arena noise would have
        # tries without end.
        subject.model.charge(rows, 1)
        wanted = yield Candidates(draw(rows, step), rows, step)
        rows = rows[wanted[rows]]
        if len(rows) == 0:
            return


def check_iterations(iterations: int) -> None:
    """Raise unless there is at least one iteration."""
    if iterations < 1:
        raise InvalidSetting(f"iterations must be >= 1, got {iterations}")
