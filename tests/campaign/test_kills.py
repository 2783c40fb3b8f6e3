"""Processes that are killed at random moments: what they leave is whole, and what is begun again ends the same."""

import os
import random
import re
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.campaign.hunters import PATIENCE, Hunter, Nursery, half_written, shards, wait_for
from tests.tries import Tries

METHODS: dict[str, dict[str, Any]] = {
    "guided:search=pso(particles=10,iterations=8)": {},
    "guided:search=genetic(population=10,iterations=8)": {},
    "pgd:steps=20": {},
    "bim": {},
    "deepfool": {},
    "square": {"queries": 60},
    "gaussian": {"queries": 60},
    "deepsensor:particles=6,iterations=4": {},
    "class_tour": {"queries": 60},
    "tensorfuzz": {"queries": 40, "pools": 6},
    "dlfuzz": {"queries": 40, "pools": 6},
    "deephunter:nc,mutants=5,entries=4": {"queries": 40, "pools": 6},
    "deepxplore": {"queries": 40, "pools": 6},
}
"""Of every room of hunters; the last ones own pools."""

State = Callable[[Path], dict[str, bytes]]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def files(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but those that a killed process left half written."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found) if path.name != "campaign.lock"}


def without_times(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(folder).items() if not name.startswith("timings/")}


class Victim:
    """One kind of work, done once without disturbance, to be compared with."""

    def __init__(self, nursery: Nursery, place: Path, state: State, order: Mapping[str, Any]) -> None:
        self.nursery, self.place, self.state, self.order = nursery, place, state, order
        self.killed = self.torn = self.folders = 0
        start = time.monotonic()
        self.start("whole").done()
        self.took, self.expected = time.monotonic() - start, state(place / "whole")
        assert self.expected

    def start(self, name: str) -> Hunter:
        return self.nursery.hunt(self.place / name, **self.order)

    def die(self, kills: int, chance: random.Random) -> None:
        """Kill it so often, each time in the middle of what the last one left, and check what is there."""
        wanted = self.killed + kills
        while self.killed < wanted:
            self.folders += 1
            name = f"run{self.folders}"
            while self.killed < wanted and self._killed(name, chance):
                seen = self.state(self.place / name)
                assert seen.items() <= self.expected.items(), f"{self.order}: what is left differs"
            if self.state(self.place / name) != self.expected:  # a complete export is not begun again
                self.start(name).done()
            assert self.state(self.place / name) == self.expected, f"{self.order}: the end differs"

    def _killed(self, name: str, chance: random.Random) -> bool:
        """Start it and kill it at a random moment; return whether it was still alive by then."""
        folder, victim = self.place / name, self.start(name)
        time.sleep(chance.uniform(0, self.took / 2))
        if chance.random() < 0.5:
            wait_for(lambda: half_written(folder), victim)
        if not victim.ended.is_set():
            os.kill(victim.pid, signal.SIGKILL)
        assert victim.ended.wait(PATIENCE)
        assert victim.code in (0, -signal.SIGKILL), victim.said
        self.torn += half_written(folder)
        self.killed += victim.code != 0
        return victim.code != 0


def campaign(nursery: Nursery, tmp_path: Path) -> Path:
    """Return a campaign to export and report."""
    folder = tmp_path / "campaign"
    nursery.hunt(folder, inputs=5).done()
    return folder


def victims(nursery: Nursery, tmp_path: Path, count: int) -> list[Victim]:
    """Return so many of the methods, drawn at random, at least one of which owns a pool."""
    seed = secrets.randbits(32)
    print(f"random seed of the methods {seed}")  # noqa: T201 - shown if a test fails
    made = []
    drawn = drawn_methods(random.Random(seed), count)  # noqa: S311 - no secret
    for number, (method, settings) in enumerate(drawn):
        place = tmp_path / f"method{number}"
        place.mkdir()
        order = {"resume": True, "method": method, "inputs": 15, "settings": settings}
        made.append(Victim(nursery, place, shards_only, order))
    return made


def drawn_methods(chance: random.Random, count: int) -> list[tuple[str, dict[str, Any]]]:
    pool = chance.choice([method for method, settings in METHODS.items() if "pools" in settings])
    others = [one for one in METHODS.items() if one[0] != pool]
    return [(pool, METHODS[pool]), *chance.sample(others, count - 1)]


def shards_only(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in shards(folder).items() if not name.endswith(".part")}


def verbs(nursery: Nursery, tmp_path: Path) -> list[Victim]:
    source = str(campaign(nursery, tmp_path))
    made = []
    for verb, state in {"export": exported, "report": reported, "map": mapped}.items():
        place = tmp_path / verb
        place.mkdir()
        order = {"resume": True, "verb": verb, "campaign": source, "method": "fgsm,bim", "inputs": 5}
        made.append(Victim(nursery, place, state, order))
    return made


def exported(folder: Path) -> dict[str, bytes]:
    """Return what an export wrote, if it says that it is complete; pictures of a killed one are written again."""
    return {} if (folder / ".unfinished").exists() else files(folder)


def reported(folder: Path) -> dict[str, bytes]:
    """Return a report without the minute in which it was written."""
    return {name: re.sub(rb"\d\d:\d\d", b"", data) for name, data in files(folder).items()}


def mapped(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in without_times(folder).items() if name.startswith(("shards/", "map.parquet"))}


def killed(some: list[Victim], kills: int, tries: Tries) -> int:
    """Kill all of them in turns until that has been done so often; return how many were writing just then."""
    seed = secrets.randbits(32)
    print(f"random seed {seed}")  # noqa: T201 - shown if a test fails
    chance = random.Random(seed)  # noqa: S311 - no secret
    while sum(one.killed for one in some) < kills:
        for one in some:
            if sum(each.killed for each in some) < kills:
                one.die(1, chance)
                tries.made = sum(each.killed for each in some)
    return sum(one.torn for one in some)


def test_a_pool_is_always_among_those_that_are_killed() -> None:
    for seed in range(50):
        drawn = dict(drawn_methods(random.Random(seed), 8))  # noqa: S311 - no secret
        assert len(drawn) == 8
        assert any("pools" in settings for settings in drawn.values())
    everyone = drawn_methods(random.Random(0), len(METHODS))  # noqa: S311 - no secret
    assert dict(everyone) == METHODS


@pytest.mark.tried("kills")
def test_twenty_kills(nursery: Nursery, tmp_path: Path, tries: Tries) -> None:
    some = [*victims(nursery, tmp_path, 8), *verbs(nursery, tmp_path)]
    killed(some, 20, tries)
    assert sum(one.killed for one in some) == 20
    assert all(one.killed for one in some)


@pytest.mark.soak
@pytest.mark.tried("kills")
def test_two_hundred_kills(nursery: Nursery, tmp_path: Path, tries: Tries) -> None:
    some = [*victims(nursery, tmp_path, len(METHODS)), *verbs(nursery, tmp_path)]
    assert len(METHODS) >= 8
    assert killed(some, 200, tries) > 5, "some were killed while they wrote"
    assert sum(one.killed for one in some) == 200
    assert all(one.killed >= 4 for one in some)
