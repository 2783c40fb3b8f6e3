"""The page on coverage; a tiny network of fixed weights is asked."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from tests.reports.markup import parsed
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.core.errors import OutputRefused
from unnerve.reports.cover.bars import criterion_bars, layer_sets
from unnerve.reports.cover.first import next_step
from unnerve.reports.cover.html import cover_html, write_cover_report
from unnerve.reports.parts.plotly import library
from unnerve.studies.cover.cover import cover
from unnerve.studies.cover.result import Cover
from unnerve.studies.gates.gate import gate
from unnerve.subjects.adapters.torch_module import TorchModule

OPENED = Provenance(Call("cover"), Opening("zoo:tiny"), Opening("small"))


@pytest.fixture
def found(tiny_model: TorchModule, small_data: Examples) -> Cover:
    """Return what one input covers, and what the other 39 add."""
    both = small_data.take(range(1)), small_data.take(range(1, 40))
    return replace(cover(tiny_model, both[0], criteria="tknc,tknp", also=both[1]), provenance=OPENED)


def said(html: str) -> str:
    return " ".join(" ".join(parsed(html).text).split())


def test_the_page_is_complete_and_stands_alone(found: Cover) -> None:
    html = cover_html(found, date=datetime(2025, 11, 15, 12, 30))
    text, state, more = said(html), found.states["tknc"], found.additions[0].states["tknc"]
    assert library() not in html, "bars need no chart library"
    assert len(html) < 100_000
    assert f"{state.covered} of 13 neurons are the most active of their layer for some of 1 input." in text
    assert f"Most is added to tknc by 39 inputs of small : {more.covered - state.covered} more" in text
    assert "unnerve cover zoo:tiny small" in text
    assert "2025-11-15 12:30" in text
    assert "Least exercised layer, by tknc : " in text


def test_what_is_added_to_another_criterion_than_that_of_the_headline_is_said(found: Cover) -> None:
    same = replace(found.additions[0], states={**found.additions[0].states, "tknc": found.states["tknc"]})
    assert "Nothing is added to tknc . Most is added to tknp by 39 inputs of small" in said(
        cover_html(replace(found, additions=(same,)))
    )
    nothing = replace(found.additions[0], states=found.states)
    assert "Nothing is added by 39 inputs of small , by any criterion." in said(
        cover_html(replace(found, additions=(nothing,)))
    )


def test_bars_show_what_further_inputs_add(found: Cover) -> None:
    top, patterns = criterion_bars(found)
    state, more = found.states["tknc"], found.additions[0].states["tknc"]
    assert top.share == pytest.approx(100 * state.covered / 13)
    assert top.added[0].share == pytest.approx(100 * more.covered / 13)
    assert more.covered > state.covered
    assert top.counted == f"{state.covered} of 13"
    assert patterns.share is None
    assert patterns.added[0].figure == f"+{found.additions[0].states['tknp'].covered - found.states['tknp'].covered}"


def test_layers_of_the_data_and_with_further_inputs(found: Cover) -> None:
    alone, both = layer_sets(found)
    assert alone.criteria == both.criteria == ("tknc",), "patterns go across layers"
    assert [row[0] for row in alone.rows] == [layer.name for layer in found.neurons.layers]
    assert [row[2][0].share for row in alone.rows] == list(found.states["tknc"].shares().values())
    assert all(cell.added == "" for _, _, cells in alone.rows for cell in cells)
    gained = [row[2][0].share > first[2][0].share for row, first in zip(both.rows, alone.rows, strict=True)]
    assert [bool(row[2][0].added) for row in both.rows] == gained
    assert any(gained)
    tables = [attrs for _, attrs in parsed(cover_html(found)).tags if "data-set" in attrs]
    assert ["hidden" in attrs for attrs in tables] == [False, True]


def test_the_next_step_is_a_whole_command(found: Cover, tiny_model: TorchModule, small_data: Examples) -> None:
    assert next_step(found)[1] == "unnerve rank zoo:tiny small"
    alone = replace(found, additions=())
    assert next_step(alone)[1] == "unnerve hunt zoo:tiny small --method deepsensor --out runs/cover-hunt"
    without = replace(cover(tiny_model, small_data), provenance=OPENED)
    assert without.left_out
    assert next_step(without)[1] == "unnerve cover zoo:tiny small --profile small"
    assert "Left out: kmnc, nbc, snac" in said(cover_html(without))
    assert next_step(cover(tiny_model, small_data))[1] == "", "no command opens what exists only in Python"


def test_limits_stand_above_the_answer(found: Cover) -> None:
    html = cover_html(found, gate=gate(found.summary(), ("tknc < 99%",), "pass"))
    assert "Broken: tknc below 99 %" in said(html)


def test_hostile_names_are_text(found: Cover, hostile: tuple[str, ...]) -> None:
    bad = replace(found, model=hostile[0], data=hostile[1], additions=(replace(found.additions[0], data=hostile[2]),))
    html = cover_html(bad, hostile[1])
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    assert html.lower().count("<script") == html.lower().count("</script>") == 4


def test_it_is_written_whole_or_not_at_all(found: Cover, tmp_path: Path) -> None:
    assert found.report(tmp_path / "a.html") == tmp_path / "a.html"
    with pytest.raises(OutputRefused, match="cannot write"):
        write_cover_report(found, tmp_path / "no" / "a.html", "it")
