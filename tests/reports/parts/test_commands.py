"""Command lines as a page shows them."""

from unnerve.reports.parts.commands import command_line, shown_command


def test_a_line_is_quoted_and_printable() -> None:
    assert command_line(["unnerve", "rank", "my model", "a\x1bb"]) == "unnerve rank 'my model' 'a\u241bb'"


def test_a_given_command_is_shown_or_else_the_planned_one() -> None:
    assert shown_command("unnerve hunt a\x1b", "planned", "weights and device") == ("unnerve hunt a\u241b", "")
    note = "From the plan; weights and device are no part of it."
    assert shown_command(None, "planned", "weights and device") == ("planned", note)
    assert shown_command("", "planned", "weights and device") == ("planned", note)
