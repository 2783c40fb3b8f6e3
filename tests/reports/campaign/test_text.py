"""A campaign's story for a terminal."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.text import campaign_text


def test_it_is_about_ten_lines_and_ends_with_the_report(tmp_path: Path) -> None:
    lines = campaign_text(Hunted().campaign(tmp_path / "a"), "out/report.html").splitlines()
    assert lines[0].startswith("Within +-0.1 per pixel, zoo:tiny was made to fail on 11 of 12 images;")
    assert lines[-3:-1] == [f"Campaign: {tmp_path / 'a'}", "Report: out/report.html"]
    assert lines[-1].startswith("Next: unnerve ")
    assert 9 <= len(lines) <= 13


def test_a_narrow_terminal_goes_without_the_least_important_columns(tmp_path: Path) -> None:
    found = Hunted(seeds=60, spared=1).campaign(tmp_path / "a")
    head = {}
    for width in (80, 200):
        lines = campaign_text(found, width=width).splitlines()
        head[width] = next(line for line in lines if line.startswith("  method"))
    assert "time" in head[200]
    assert head[80].split() == ["method", "seeds", "broken", "kinds", "queries", "behind", "the", "best"]


def test_without_a_report_it_says_how_to_get_one(tmp_path: Path) -> None:
    text = campaign_text(Hunted(methods=("pgd",)).campaign(tmp_path / "a b"))
    assert text.endswith(f"Next: unnerve report '{tmp_path / 'a b'}'")


def test_every_method_has_a_row_with_its_interval_and_its_distance_to_the_best(tmp_path: Path) -> None:
    lines = campaign_text(Hunted(seeds=60, spared=1).campaign(tmp_path / "a")).splitlines()
    rows = [line.split() for line in lines if line.startswith("  ")]
    assert rows[0] == ["method", "seeds", "broken", "kinds", "errors", "queries", "time", "behind", "the", "best"]
    assert rows[1][:11] == ["random", "30", "of", "60", "(36.8", "to", "63.2", "%)", "60", "120", "1,200"]
    assert " ".join(rows[2][-5:]).startswith("50 points (")
    alone = campaign_text(Hunted(methods=("pgd",)).campaign(tmp_path / "b"))
    assert "behind the best" not in alone


def test_many_methods_are_cut_short_and_counted(tmp_path: Path) -> None:
    methods = tuple(f"pgd:steps={number}" for number in range(1, 12))
    text = campaign_text(Hunted(methods=methods, seeds=5).campaign(tmp_path / "a"))
    assert "  and 3 more in the report" in text


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    made = Hunted(missing=1, failed=(1,), reason="RuntimeError: out of luck")
    text = campaign_text(made.campaign(tmp_path / "a"))
    assert "\n5 of 6 shards finished; --resume goes on.\n" in text
    assert "\nLeft out: 1 seed that could not be hunted; the first: RuntimeError: out of luck\n" in text


def test_nothing_found_and_nothing_hunted(tmp_path: Path) -> None:
    none = campaign_text(Hunted(each=0).campaign(tmp_path / "a"))
    assert none.startswith("Within +-0.1 per pixel, no error of zoo:tiny was found on 12 images.")
    unbegun = campaign_text(Hunted(missing=6).campaign(tmp_path / "b"))
    assert "0 of 6 shards finished" in unbegun
    assert "nan" not in none + unbegun


def test_no_control_character_reaches_the_terminal(tmp_path: Path, hostile: tuple[str, ...]) -> None:
    made = Hunted(model=hostile[2], data=hostile[2], classes=(hostile[2],) * 4, failed=(1,), reason=hostile[2])
    text = campaign_text(made.campaign(tmp_path / "\x1b[31m"), f"a/{hostile[2]}.html")
    assert all(character == "\n" or character.isprintable() for character in text)
