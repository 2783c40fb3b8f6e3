"""Tables for a terminal."""

from unnerve.reports.parts.text_table import aligned

ROWS = [("method", "broken", "errors"), ("pgd", "26 of 60", "7")]


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    assert aligned(ROWS) == ["  method  broken    errors", "  pgd     26 of 60  7"]


def test_the_least_important_columns_go_first_where_it_is_narrow() -> None:
    # 6 + 8 + 6 and 2 before each: 26 columns; without the errors 18.
    assert aligned(ROWS, 26, (2, 1)) == aligned(ROWS)
    assert aligned(ROWS, 25, (2, 1)) == ["  method  broken", "  pgd     26 of 60"]
    assert aligned(ROWS, 10, (2, 1)) == ["  method", "  pgd"]
    assert aligned(ROWS, 10) == aligned(ROWS), "nothing may be left out"
