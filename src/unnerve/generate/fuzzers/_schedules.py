"""Which entries of a corpus are mutated next: by DeepHunter's probability, uniformly, or the newest."""

from collections.abc import Callable, Mapping

from torch import Tensor

__all__ = ["SCHEDULES", "Schedule", "chance"]

Schedule = Callable[[Tensor, Tensor, int, Tensor], tuple[list[int], int]]
"""(entries that may be chosen (K,), how often each of all was, cursor, draws (count, M)) -> chosen, cursor.

All rows of ``draws`` are uniform in [0, 1); one entry is chosen for each.
"""

_NEWEST = 5
_FIRST, _LEAST, _GAMMA = 0.8, 0.2, 5


def chance(times: float) -> float:
    """Return the probability that an entry which was mutated so often is mutated again.

    0.8, 0.6, 0.4, and 0.2 from the third time on. The paper has 1 - times / gamma, at least a constant.
    """
    # Differs from the paper, not from the release: REG_INIT_PROB, REG_GAMMA and REG_MIN of its program give this.
    return max(_LEAST, _FIRST - times / _GAMMA)


def _by_chance(living: Tensor, times: Tensor, cursor: int, draws: Tensor) -> tuple[list[int], int]:
    """Go round the queue; take each entry with a probability that falls with the times it was taken."""
    entries, chosen = living.tolist(), []
    counts = dict(zip(entries, times[living].tolist(), strict=True))
    for tosses in draws.tolist():
        for toss in tosses:
            entry, cursor = entries[cursor % len(entries)], cursor + 1
            if toss < chance(counts[entry]):
                break
        # After so many refusals the last one is taken: with a fifth each, that is one choice in millions.
        counts[entry] += 1
        chosen.append(entry)
    return chosen, cursor


def _uniform(living: Tensor, times: Tensor, cursor: int, draws: Tensor) -> tuple[list[int], int]:
    places = (draws[:, 0].double() * len(living)).long().clamp_max(len(living) - 1)
    return living[places].tolist(), cursor


def _recent(living: Tensor, times: Tensor, cursor: int, draws: Tensor) -> tuple[list[int], int]:
    """Take one of the five newest entries and one of all, as TensorFuzz does."""
    any_one, _ = _uniform(living, times, cursor, draws)
    newest = living[max(0, len(living) - _NEWEST) :].tolist()
    among = [[*newest, one] for one in any_one]
    return [
        some[min(int(toss * len(some)), len(some) - 1)] for some, toss in zip(among, draws[:, 1].tolist(), strict=True)
    ], cursor


SCHEDULES: Mapping[str, Schedule] = {"prob": _by_chance, "uniform": _uniform, "recent": _recent}
"""By the names of the release; ``recent`` is its ``tensorfuzz``."""
