"""Which findings are shown."""

from pathlib import Path

import numpy as np

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.sample import sample, sample_note


def test_the_sample_takes_every_method_and_pair_in_turn(tmp_path: Path) -> None:
    found = evidence([Hunted().campaign(tmp_path / "a")])
    keys = _keys(found, np.arange(len(found.found)))
    first = sample(found, limit=len(set(keys)))
    assert set(_keys(found, first)) == set(keys)
    for place in first:
        mine = [key == keys[place] for key in keys]
        assert found.found.change[place] == found.found.change[mine].min()


def test_every_seed_is_shown_before_any_is_shown_twice(tmp_path: Path) -> None:
    found = evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "a")])
    # Nine seeds, two pairs each, each found twice: after 18 every seed has given its smallest change of each pair.
    half = sample(found, limit=18)
    assert len({(found.found.seed[place], found.found.after[place]) for place in half}) == 18
    assert sorted(sample(found)) == list(range(36))
    assert "18 of the 36 findings" in sample_note(found, 18)
    assert sample_note(found, 36) == "All 36 findings."


def _keys(found: Evidence, places: np.ndarray) -> list[tuple[int, ...]]:
    columns = (found.found.method, found.found.before, found.found.after)
    return list(zip(*(column[places].tolist() for column in columns), strict=True))
