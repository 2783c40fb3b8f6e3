"""What breaks into what."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.cards import kinds
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.matrix import OTHERS, matrix


def test_the_matrix_counts_kinds_and_errors(tmp_path: Path) -> None:
    table = matrix(evidence([Hunted().campaign(tmp_path / "a")]))
    assert table is not None
    assert table.rows == table.columns == (0, 1, 2, 3)
    # Of class 1 are seeds 1, 5, 9; pgd spares 5. From each broken one two errors become class 2, two class 3.
    assert table.cells[""]["1,2"] == (3, 2 * 5)
    assert (table.cells["0"]["1,2"], table.cells["1"]["1,2"]) == ((3, 6), (2, 4))
    assert sum(number for number, _ in table.cells[""].values()) == 22
    assert "1,0" not in table.cells[""]


def test_of_unlike_campaigns_each_has_seeds_of_its_own(tmp_path: Path) -> None:
    pair = [
        Hunted(methods=("pgd",), seeds=seeds, data=f"first {seeds}").campaign(tmp_path / str(seeds))
        for seeds in (8, 12)
    ]
    table = matrix(evidence(pair))
    assert table is not None
    # The first eight seeds are in both campaigns, and would count twice.
    assert table.seeds == {
        "": dict.fromkeys(range(4), 5),
        "0": dict.fromkeys(range(4), 2),
        "1": dict.fromkeys(range(4), 3),
    }
    one = matrix(evidence(pair[:1]))
    assert one is not None
    assert one.seeds == {"": dict.fromkeys(range(4), 2)}


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
