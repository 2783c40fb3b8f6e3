"""What a map's report says, as values."""

import shlex
from pathlib import Path

import numpy as np

from tests.reports.maps import Mapped
from unnerve.reports.map.page import MapPage, map_page
from unnerve.reports.parts.tables import Table
from unnerve.studies.map.result import UncertaintyMap

COMMAND = "unnerve map zoo:tiny made-up --dropout vro=0.3 --region=linf:0.1 --out a --resume"


def made(folder: Path, **changes: object) -> tuple[UncertaintyMap, MapPage]:
    found = Mapped().but(**changes).found(folder / "a")
    return found, map_page(found, COMMAND, "today")


def sentence(page: MapPage) -> str:
    return "".join(phrase.text for phrase in page.verdict)


def cells(table: Table, name: str) -> list[tuple[str, str]]:
    (row,) = [row for row in table.rows if row[0].text == name]
    return [(cell.text, cell.more) for cell in row[1:]]


def test_the_verdict_names_the_best_metric_and_its_worst_group(tmp_path: Path) -> None:
    _, page = made(tmp_path)
    # PCS 0.905 of the strongest lies below all benign ones but 0.9 and 0.89: 10/12; the smallest below all.
    assert sentence(page) == (
        "VRO tells attacked from benign images of zoo:tiny best: AUC 1 on average, 1 for pgd, smallest; 0.5 is chance."
    )
    assert page.caveats[0] == "95 % interval of the AUC for pgd, smallest: 0.567 to 1 (over images)."
    assert "100 % of the benign and 50 % of the attacked images are HL" in " ".join(page.caveats)
    smallest, strongest = (
        next(row for row in page.auc.rows if row[0].text == f"pgd, {which}") for which in ("smallest", "strongest")
    )
    assert (smallest[2].text, smallest[2].marked) == ("1", True)
    assert (strongest[2].text, strongest[2].marked) == ("0.833", False), "nine against twelve are too few"


def test_a_metric_that_is_no_better_than_chance_is_not_praised(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    for group in found.groups.values():
        for values in group.figures.values():
            values[:] = np.arange(len(values)) / len(values)
    page = map_page(found, None, "today")
    assert sentence(page).startswith("No metric tells attacked from benign images of zoo:tiny: the best, ")
    assert sentence(page).endswith("; 0.5 is chance.")


def test_the_cards_by_hand(tmp_path: Path) -> None:
    found, page = made(tmp_path)
    figures = [card.figure for card in page.cards]
    correlation = found.correlation()["all"]
    assert correlation is not None
    assert figures == ["1", "100 %", "50 %", f"{correlation:.3g}", "0.01", "80 %"]
    assert page.cards[1].note.startswith("12 of 12; ")
    assert page.cards[2].note.startswith("19 of 38; ")
    assert page.where.startswith("12 benign and 38 attacked images \u00b7 within ")
    anchors = {term.anchor for term in page.glossary}
    assert {card.term for card in page.cards} <= anchors


def test_the_tables_by_hand(tmp_path: Path) -> None:
    _, page = made(tmp_path)
    moments, patterns, stability = page.tables
    # VRO of benign: 0, 1, 2 in turn over 50.
    assert [text for text, _ in cells(moments, "pgd, strongest")[:3]] == ["9", "0.905", "0.1"]
    assert cells(moments, "benign")[2] == ("0.02", "0.000267")
    assert cells(patterns, "benign") == [("0", "0 %"), ("0", "0 %"), ("12", "100 %"), ("0", "0 %"), ("0", "0 %")]
    assert cells(patterns, "random, smallest")[1] == ("10", "100 %")
    # |VRO - 0.1 / T'| against VRO: every third benign one has 0 and moves to 0.02; the others move by 0.02 too.
    assert cells(stability, "benign") == [("0.02", ""), ("0.01", "")]
    assert [row[0].text for row in page.correlation.rows][-1] == "all together"
    assert cells(page.correlation, "pgd, strongest") == [("-", "")]


def test_an_attack_that_found_nothing_is_said(tmp_path: Path) -> None:
    # The second method spares every second seed, the first breaks none: seeds are divisible by 1.
    found = Mapped().but(spared=1).found(tmp_path / "a")
    assert [len(group) for group in found.groups.values()] == [12, 0, 6, 6]
    page = map_page(found, COMMAND, "today")
    assert "Found nothing: pgd." in page.caveats
    assert cells(page.auc, "pgd") == [("0", "")] + [("-", "")] * 5
    assert page.groups[1].count == 0


def test_no_findings_at_all(tmp_path: Path) -> None:
    _, page = made(tmp_path, each=0)
    assert sentence(page) == (
        "Within ±0.1 per pixel, no attack found an error of zoo:tiny on 12 images: nothing to tell them from."
    )
    assert page.cards[0].figure == page.cards[2].figure == "-"
    assert len(page.shown.inputs) == 12


def test_commands_keep_the_other_options(tmp_path: Path) -> None:
    found = Mapped().but(each=0, options={"weights": "w"}).found(tmp_path / "a b")
    page, folder = map_page(found, None, "today"), f"{tmp_path}/a b"
    start = "unnerve map zoo:tiny made-up --region linf:0.{} --out {} --dropout vro=0.3"
    assert page.command == f"{start.format(1, shlex.quote(f'{folder}-again'))} --weights w"
    assert page.wider == f"{start.format(2, shlex.quote(f'{folder}-wider'))} --weights w"
    assert page.more_draws == f"{start.format(1, 'a')} --draws 50 --resume --weights w"
    assert page.resume == f"{start.format(1, 'a')} --resume --weights w"
    in_python = map_page(Mapped().but(in_python=True).found(tmp_path / "c"), None, "today")
    assert (in_python.command, in_python.wider, in_python.resume) == ("", "", "")
    assert "its model and its data exist only in Python" in in_python.command_note


def test_the_sample_and_the_jitter_are_stated(tmp_path: Path) -> None:
    _, page = made(tmp_path)
    assert page.plane_note.startswith("One dot for each of the 50 images. Dots that would cover each other are spread")
    assert "at most 0.02 in PCS and 0.008 in VRO, never over a border" in page.plane_note
    large = Mapped().but(seeds=520, shard=260, each=2, shape=(4,)).found(tmp_path / "b")
    page = map_page(large, None, "today")
    assert 1980 < len(page.shown.inputs) <= 2000
    assert page.plane_note.startswith(f"A sample of {len(page.shown.inputs):,} of the {page.total:,} inputs: those of ")
    assert page.gallery_note.startswith("These inputs are not grey or RGB images (shape: 4)")


def test_too_few_draws_have_no_table_of_stability(tmp_path: Path) -> None:
    _, page = made(tmp_path, early=(), draws=5)
    assert len(page.tables) == 2
    assert page.cards[4].figure == "-"
