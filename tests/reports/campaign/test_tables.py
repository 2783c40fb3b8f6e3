"""All figures of a campaign."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.tables import class_table, difference_table, failed_table, method_table


def test_methods(tmp_path: Path) -> None:
    table = method_table(evidence([Hunted().campaign(tmp_path / "a")]))
    best = [cell.text for cell in table.rows[0]]
    # random: 10 of 12 seeds, two kinds and four errors each; one more failing pick where errors are, or none.
    assert best == ["random", "10 of 12", "20", "40", "52", "240", "6", "1.5", "0"]
    assert table.rows[0][1].more == "51.6 to 97.9 %"
    assert table.rows[0][3].more.startswith("3.33 (")
    assert table.rows[0][5].more == "20"


def test_a_method_that_found_nothing_has_dashes(tmp_path: Path) -> None:
    table = method_table(evidence([Hunted(each=0, missing=3).campaign(tmp_path / "a")]))
    assert [cell.text for cell in table.rows[0]][:4] == ["pgd", "0 of 12", "0", "0"]
    assert [cell.text for cell in table.rows[1]] == ["random", "0 of 0", "0", "0", "0", "0", "-", "0", "0"]


def test_differences_say_whether_they_are_significant(tmp_path: Path) -> None:
    table = difference_table(evidence([Hunted(seeds=60, spared=1).campaign(tmp_path / "a")]))
    assert table is not None
    name, seeds, *_ = table.rows[0]
    assert name.text == "random over pgd"
    assert seeds.text == "+50"
    assert seeds.marked
    assert seeds.more.endswith(", significant")
    close = difference_table(evidence([Hunted().campaign(tmp_path / "b")]))
    assert close is not None
    assert not close.rows[0][1].marked
    assert close.rows[0][1].more.endswith(", not significant")
    assert difference_table(evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "c")])) is None


def test_classes(tmp_path: Path) -> None:
    table = class_table(evidence([Hunted(methods=("pgd",)).campaign(tmp_path / "a")]))
    assert table is not None
    rows = {row[0].text: [cell.text for cell in row] for row in table.rows}
    # Of class one are seeds 1, 5, 9; pgd spares 5. Two findings of each become two, two become three.
    assert rows["one"][1:6] == ["3", "2 of 3", "4", "8", "two"]
    assert rows["three"][1:4] == ["3", "3 of 3", "6"]
    assert table.columns[-1][1].startswith("L\u221e, ")
    unlabelled = class_table(evidence([Hunted(labels=False, oracle="changed").campaign(tmp_path / "b")]))
    assert unlabelled is not None
    assert {row[1].text for row in unlabelled.rows} == {"-"}
    assert class_table(evidence([Hunted(each=0).campaign(tmp_path / "c")])) is None


def test_failed_seeds_have_reasons(tmp_path: Path) -> None:
    table = failed_table(evidence([Hunted(failed=(2,), reason="boom\x00").campaign(tmp_path / "a")]))
    assert table is not None
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["2", "random", "boom\u2400"],
        ["2", "pgd", "boom\u2400"],
    ]
    assert failed_table(evidence([Hunted().campaign(tmp_path / "b")])) is None


def test_the_smallest_changes_of_clips_are_in_decibels(tmp_path: Path) -> None:
    table = class_table(evidence([Hunted(shape=(64,), region="snr:20").campaign(tmp_path / "a")]))
    assert table is not None
    assert table.columns[-1] == ("smallest change", "dB below the clip, median over those that fail")
    # The region allows 20 dB and quieter changes.
    assert all(float(row[-1].text) > 19.9 for row in table.rows)
