"""Which inputs of a map are shown, and where their dots lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from unnerve.reports.parts.numbers import finite
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["DOTS", "JITTER", "Dot", "jitter", "sample"]

DOTS = 2000
JITTER = 0.02
"""How far a dot is moved in PCS at most."""


@dataclass(frozen=True)
class Dot:
    """An input of a map: the place of its group, its row there, and where it is drawn; None is nowhere."""

    group: int
    row: int
    x: float | None
    y: float | None


def sample(found: UncertaintyMap, limit: int = DOTS) -> tuple[Dot, ...]:
    """Choose inputs: seeds in a fixed random order, each with all that attacks made of it, while there is room.

    The order does not depend on the other seeds, and a beginning of it is a fair sample too.
    """
    of_seed: dict[str, list[tuple[int, int]]] = {}
    for place, group in enumerate(found.groups.values()):
        for row, seed in enumerate(group.seed_ids):
            of_seed.setdefault(seed, []).append((place, row))
    chosen: list[tuple[int, int]] = []
    for seed in sorted(of_seed, key=_digest):
        # A seed comes with all that attacks made of it or not at all: the page draws the line between them.
        if chosen and len(chosen) + len(of_seed[seed]) > limit:
            break
        chosen += of_seed[seed]
    return _placed(found, chosen)


def jitter(draws: int) -> float:
    """Return how far dots are moved in VRO: less than half a step of it, so that its values stay apart."""
    return min(0.01, 0.4 / draws)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _placed(found: UncertaintyMap, chosen: Sequence[tuple[int, int]]) -> tuple[Dot, ...]:
    """Move every dot a little, always the same way, but never over a border."""
    groups, limits = list(found.groups.values()), found.thresholds
    pcs, vro = (
        np.array([groups[place].figures[metric][row] for place, row in chosen], dtype=float)
        for metric in ("pcs", "vro")
    )
    names = [f"{groups[place].name}\0{groups[place].ids[row]}" for place, row in chosen]
    # From the name and not from a random stream: the same input lies at the same place in every report.
    moves = np.array([np.frombuffer(_digest(name), dtype="<u4") for name in names]).reshape(-1, 2) / 2**31 - 1
    x = _within(pcs, pcs + JITTER * moves[:, 0], limits.low_confidence, limits.high_confidence)
    y = _within(vro, vro + jitter(found.draws) * moves[:, 1], limits.low_uncertainty, limits.high_uncertainty)
    return tuple(Dot(*key, finite(one, 4), finite(other, 4)) for key, one, other in zip(chosen, x, y, strict=True))


def _within(values: np.ndarray, moved: np.ndarray, low: float, high: float) -> np.ndarray:
    """Hold what was moved on its own side of both thresholds; the thresholds themselves are between."""
    margin = 1e-3
    # Nor beyond 0 and 1: a dot there would show a value that does not exist.
    least = np.where(values > high, high + margin, np.where(values < low, 0.0, low))
    most = np.where(values > high, 1.0, np.where(values < low, low - margin, high))
    held: np.ndarray = np.where(np.isfinite(values), np.clip(moved, least, most), np.nan)
    return held
