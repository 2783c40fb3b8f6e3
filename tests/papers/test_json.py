import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from unnerve.papers._json import INLINE, LATER, from_json, to_json


class Moments(NamedTuple):
    mean: float
    variance: float


@dataclass(frozen=True)
class Inner:
    count: int
    share: float | None


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner = field(metadata=INLINE)
    other: Inner | None
    moments: Moments
    pairs: tuple[tuple[str, Inner], ...]
    by_draws: Mapping[int, float]


VALUE = Outer("a", Inner(1, None), None, Moments(0.5, 0.1), (("x", Inner(2, 0.3)),), {20: 0.25})
STORED = {
    "name": "a",
    "count": 1,
    "share": None,
    "other": None,
    "moments": [0.5, 0.1],
    "pairs": [["x", {"count": 2, "share": 0.3}]],
    "by_draws": {"20": 0.25},
}


def test_fields_are_keys_and_tuples_are_lists() -> None:
    assert to_json(VALUE) == STORED
    assert list(to_json(VALUE)) == list(STORED), "in the fields' order, what is inline in its place"


def test_what_was_written_is_read() -> None:
    assert from_json(Outer, json.loads(json.dumps(to_json(VALUE)))) == VALUE


def test_unknown_keys_are_ignored_and_absent_ones_are_told() -> None:
    assert from_json(Inner, {"count": 3, "share": 0.5, "more": 1}) == Inner(3, 0.5)
    with pytest.raises(KeyError, match="share"):
        from_json(Inner, {"count": 3})


@dataclass(frozen=True)
class Grown:
    count: int
    scores: Mapping[str, float] = field(default_factory=dict, metadata=LATER)


def test_a_later_field_takes_its_default_from_older_files() -> None:
    assert from_json(Grown, {"count": 3}) == Grown(3)
    assert from_json(Grown, {"count": 3, "scores": {"a": 0.5}}) == Grown(3, {"a": 0.5})
