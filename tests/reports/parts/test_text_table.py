"""Tables for a terminal."""

from unnerve.reports.parts.text_table import aligned


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    assert aligned([("a", "longer", "c"), ("long", "b", "")]) == ["  a     longer  c", "  long  b"]
