"""What is counted before anything is shown."""

from pathlib import Path

import numpy as np

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.cards import campaign_cards, kinds
from unnerve.reports.campaign.evidence import evidence

# Of 12 seeds pgd spares 0, 5, 10 and random 0, 6: only seed 0 is broken by neither.


def test_everything_is_counted_once(tmp_path: Path) -> None:
    found = evidence([Hunted().campaign(tmp_path / "a")])
    assert [method.label for method in found.methods] == ["random", "pgd"]
    assert [method.counts.seeds_broken for method in found.methods] == [10, 9]
    assert len(found.found) == 4 * 19
    assert found.broken.tolist() == [False] + [True] * 11
    assert found.truths.tolist() == [0, 1, 2, 3] * 3
    assert kinds(found) == 2 * 11
    assert (found.found.before == found.truths[found.found.seed]).all()
    np.testing.assert_allclose(found.smallest(found.found.reach)[1:], 0.025, rtol=1e-4)


def test_the_smallest_change_is_the_smallest_of_any_method(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    found = evidence([campaign])
    table = campaign.findings
    by_seed: dict[str, float] = {}
    for name, change in zip(table["seed_id"].to_pylist(), table["l2"].to_pylist(), strict=True):
        by_seed[name] = min(change, by_seed.get(name, np.inf))
    smallest = found.smallest(found.found.change)
    assert {name: smallest[place] for place, (_, name) in enumerate(found.seeds) if name in by_seed} == by_seed
    card = next(card for card in campaign_cards(found) if card.term == "change")
    assert (card.figure, card.name) == ("0.025", "smallest change that breaks a seed, median L\u221e")


def test_two_campaigns_on_the_same_seeds_share_them(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    both = [made.campaign(tmp_path / "a"), made.but(methods=("random",)).campaign(tmp_path / "b")]
    found = evidence(both)
    assert (len(found.seeds), found.tasks) == (12, (0, 0))
    assert [(one.better, one.other) for one in found.differences] == [("pgd", "random")]
