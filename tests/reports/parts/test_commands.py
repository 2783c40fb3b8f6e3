"""Command lines as a page shows them."""

from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.parts.commands import command_line, repeating_command, shown_command


def test_a_line_is_quoted_and_printable() -> None:
    assert command_line(["unnerve", "rank", "my model", "a\x1bb"]) == "unnerve rank 'my model' 'a\u241bb'"


def test_a_given_command_is_shown_or_else_the_one_that_repeats_the_run() -> None:
    known = Provenance(Call("rank", {"evaluate": True}), Opening("my net.py:build", {"weights": "w"}), Opening("d"))
    line = "unnerve rank 'my net.py:build' d --evaluate --weights w"
    assert shown_command("unnerve hunt a\x1b", known) == ("unnerve hunt a\u241b", "")
    assert shown_command(None, known) == shown_command("", known) == (line, "")
    assert repeating_command(known, seed="3").endswith("--evaluate --seed 3 --weights w")
    assert shown_command(None, known, "run")[0].endswith("--evaluate --out run-again --weights w")


def test_what_only_python_has_is_named() -> None:
    said = shown_command(None, Provenance(Call("rank"), Opening(None, {}, ("normalise",)), Opening("d")))
    assert said == ("", "No command repeats this run: its model and its normalise exist only in Python.")
    assert repeating_command(None) == ""
