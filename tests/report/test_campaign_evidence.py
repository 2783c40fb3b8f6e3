"""What is counted before anything is shown."""

from pathlib import Path

import numpy as np

from tests.report.campaigns import Hunted
from unnerve.report._campaign_cards import campaign_cards, kinds
from unnerve.report._campaign_evidence import Evidence, evidence
from unnerve.report._campaign_matrix import OTHERS, matrix
from unnerve.report._campaign_sample import sample, sample_note

# Of 12 seeds pgd spares 0, 5, 10 and random 0, 6: only seed 0 is broken by neither.


def test_everything_is_counted_once(tmp_path: Path) -> None:
    found = evidence([Hunted().campaign(tmp_path / "a")])
    assert [side.label for side in found.sides] == ["random", "pgd"]
    assert [side.counts.seeds_broken for side in found.sides] == [10, 9]
    assert len(found.found) == 4 * 19
    assert found.broken.tolist() == [False] + [True] * 11
    assert found.truths.tolist() == [0, 1, 2, 3] * 3
    assert kinds(found) == 2 * 11
    assert (found.found.before == found.truths[found.found.seed]).all()
    np.testing.assert_allclose(found.smallest(found.found.reach)[1:], 0.025, rtol=1e-4)


def test_the_smallest_change_is_the_smallest_l2_of_any_method(tmp_path: Path) -> None:
    campaign = Hunted().campaign(tmp_path / "a")
    found = evidence([campaign])
    table = campaign.findings
    by_seed: dict[str, float] = {}
    for name, change in zip(table["seed_id"].to_pylist(), table["l2"].to_pylist(), strict=True):
        by_seed[name] = min(change, by_seed.get(name, np.inf))
    smallest = found.smallest(found.found.change)
    assert {name: smallest[place] for place, (_, name) in enumerate(found.seeds) if name in by_seed} == by_seed
    card = next(card for card in campaign_cards(found) if card.term == "change")
    assert card.figure == f"{np.median(list(by_seed.values())):.3g}"


def test_cards_of_a_campaign(tmp_path: Path) -> None:
    cards = {card.term: card for card in campaign_cards(evidence([Hunted().campaign(tmp_path / "a")]))}
    assert (cards["seeds"].figure, cards["seeds"].note[:9]) == ("80 %", "12 of 15;")
    assert (cards["broken"].figure, cards["broken"].note[:9]) == ("91.7 %", "11 of 12;")
    assert (cards["kinds"].figure, cards["kinds"].name) == ("22", "kinds of errors, of 36 possible")
    assert cards["queries"].figure == f"{2 * 12 * 20 / 76:.3g}"
    assert cards["time"].figure == "3 s"
    assert cards["change"].note.endswith("0.8 fits into the region")


def test_without_labels_accuracy_is_unknown(tmp_path: Path) -> None:
    made = Hunted(labels=False, oracle="changed", classes=())
    cards = {card.term: card for card in campaign_cards(evidence([made.campaign(tmp_path / "a")]))}
    assert cards["seeds"].figure == "unknown"
    assert cards["kinds"].name == "kinds of errors"


def test_two_campaigns_on_the_same_seeds_share_them(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    both = [made.campaign(tmp_path / "a"), made.but(methods=("random",)).campaign(tmp_path / "b")]
    found = evidence(both)
    assert (len(found.seeds), found.tasks) == (12, (0, 0))
    assert [(one.better, one.other) for one in found.differences] == [("pgd", "random")]


def test_labels_that_clash_get_their_folders_name(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    found = evidence([made.campaign(tmp_path / "a"), made.campaign(tmp_path / "b")])
    assert [side.label for side in found.sides] == ["pgd (a)", "pgd (b)"]
    far = evidence([made.campaign(tmp_path / "c" / "x"), made.campaign(tmp_path / "d" / "x")])
    assert [side.label for side in far.sides] == [f"pgd ({tmp_path / name / 'x'})" for name in "cd"]


def test_other_data_is_not_compared(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    found = evidence([made.campaign(tmp_path / "a"), made.but(data="other").campaign(tmp_path / "b")])
    assert (len(found.seeds), found.tasks, found.differences) == (24, (0, 1), ())


def test_the_matrix_counts_kinds_and_errors(tmp_path: Path) -> None:
    table = matrix(evidence([Hunted().campaign(tmp_path / "a")]))
    assert table is not None
    assert table.rows == table.columns == (0, 1, 2, 3)
    # Of class 1 are seeds 1, 5, 9; pgd spares 5. From each broken one two errors become class 2, two class 3.
    assert table.cells[""]["1,2"] == (3, 2 * 5)
    assert (table.cells["0"]["1,2"], table.cells["1"]["1,2"]) == ((3, 6), (2, 4))
    assert sum(number for number, _ in table.cells[""].values()) == 22
    assert "1,0" not in table.cells[""]


def test_a_large_matrix_gathers_the_rarest_classes(tmp_path: Path) -> None:
    classes = tuple(f"c{number}" for number in range(50))
    made = Hunted(seeds=60, classes=classes, methods=("pgd",))
    found = evidence([made.campaign(tmp_path / "a")])
    table = matrix(found)
    assert table is not None
    assert len(table.rows) == len(table.columns) == 20
    assert table.rows[-1] == table.columns[-1] == OTHERS
    assert sum(number for number, _ in table.cells[""].values()) == kinds(found)
    assert sum(errors for _, errors in table.cells[""].values()) == len(found.found)
    assert "the 19 met most often" in table.note


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
    columns = (found.found.side, found.found.before, found.found.after)
    return list(zip(*(column[places].tolist() for column in columns), strict=True))
