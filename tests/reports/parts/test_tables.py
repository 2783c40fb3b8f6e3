"""Cells."""

from unnerve.reports.parts.tables import text_cell


def test_a_name_is_printable_cut_and_sorted_as_shown() -> None:
    cell = text_cell("a\x1bb" + "c" * 100, 10)
    assert cell.text == cell.key
    assert cell.text.startswith("a\u241bb")
    assert len(cell.text) == 10
