"""Which of several defences does best, and which are not told apart from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import fisher_exact

from unnerve.studies.defend.held import Held

__all__ = ["Leader", "leader"]

_LEVEL = 0.05


@dataclass(frozen=True)
class Leader:
    """The defence that does best on some inputs.

    Parameters
    ----------
    first : Held
    alike : tuple of Held
        Those that Fisher's exact test at 5 %, each by itself, does not tell apart from it; the best of them first.
    last : Held
        The defence that does worst; ``first`` if it is alone.
    """

    first: Held
    alike: tuple[Held, ...]
    last: Held


def leader(tested: Sequence[tuple[Held, Held | None]]) -> Leader | None:
    """Return the best of defences, each with how it does on clean inputs, which decides between equals."""
    if not tested:
        return None
    order = [own for own, _ in sorted(tested, key=lambda pair: [one.share.mean if one else 0.0 for one in pair])][::-1]
    first, *others = order
    return Leader(first, tuple(one for one in others if not _told_apart(first, one)), order[-1])


def _told_apart(one: Held, other: Held) -> bool:
    table = [[row.held, row.inputs - row.held] for row in (one, other)]
    return bool(fisher_exact(table)[1] < _LEVEL)
