"""Inputs that cover most of what is still uncovered come first (Rothermel et al., TSE 2001)."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unnerve.core.methods import Coverage
from unnerve.measure.coverages.nc import NC

__all__ = ["CoverageAdditional"]


@dataclass(frozen=True)
class CoverageAdditional:
    """Order inputs greedily: next is the one that adds most to what those before it cover.

    Inputs that add nothing come last, those that cover most by themselves first among them.

    Parameters
    ----------
    criterion : Coverage
        What is covered.

    References
    ----------
    Rothermel et al., "Prioritizing Test Cases For Regression Testing", 2001.
    Weiss and Tonella, "Simple Techniques Work Surprisingly Well for Neural Network Test Prioritization", 2022.
    """

    criterion: Coverage = field(default_factory=NC)
    small = ("", "kmnc(7)")

    def values(self, met: Sequence[np.ndarray]) -> np.ndarray:
        """Return one number per input, float64 (N,), the higher the earlier, from the obligations of each."""
        count = len(met)
        covered = np.zeros(1 + max((int(one[-1]) for one in met if len(one)), default=0), bool)
        # What an input adds only falls as others are taken, so an old figure is a bound: most inputs are looked at
        # again only when their turn comes, and the result is that of looking at all of them every time.
        waiting = [(-len(one), row) for row, one in enumerate(met)]
        heapq.heapify(waiting)
        order: list[int] = []
        while waiting:
            bound, row = heapq.heappop(waiting)
            gain = int((~covered[met[row]]).sum())
            if gain < -bound and waiting and (-gain, row) > waiting[0]:
                heapq.heappush(waiting, (-gain, row))
                continue
            if gain == 0:
                waiting.append((0, row))
                break
            covered[met[row]] = True
            order.append(row)
        order += sorted((row for _, row in waiting), key=lambda row: (-len(met[row]), row))
        values = np.empty(count)
        values[order] = np.arange(count, 0, -1)
        return values
