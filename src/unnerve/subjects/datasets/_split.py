"""Which part of a data set is meant."""

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting

__all__ = ["check_split", "part", "shuffled_order"]

_KEY = 20180417


def check_split(split: str, known: tuple[str, ...] = ("train", "test")) -> None:
    """Refuse a split that is none of the known ones."""
    if split not in known:
        raise InvalidSetting(f"split must be {', '.join(known[:-1])} or {known[-1]}, got {split!r}")


def shuffled_order(count: int) -> np.ndarray:
    """Return one fixed permutation of ``range(count)``, int64 of shape (count,).

    It sorts the raw output of the bit generator, which numpy promises not to change, unlike ``permutation``.
    """
    return np.argsort(np.random.Philox(key=_KEY).random_raw(count), kind="stable")


def part(examples: Examples, split: str) -> Examples:
    """Return all of a shuffled data set, its first four fifths (``train``), or the rest (``test``)."""
    check_split(split, ("all", "train", "test"))
    # Never random: the demo's network was trained on the first part, and must not be tested on it.
    border = len(examples) * 4 // 5
    ranges = {"train": range(border), "test": range(border, len(examples))}
    return examples if split == "all" else examples.take(ranges[split])
