"""Text that fits a terminal, and colours where there is one."""

import io
import shlex

import pytest

from unnerve.cli import _terminal
from unnerve.cli._terminal import coloured, fitted, terminal_width


class Tty(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def on(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, columns: str = "50") -> None:
    monkeypatch.setattr(_terminal, "own_output", lambda: stream)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_prose_breaks_between_words_and_commands_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Tty())
    prose, listed, command = "word " * 30 + "end", "  pgd: " + "cell " * 30 + "end", "Next: unnerve report " + "x" * 60
    lines = fitted("\n".join([prose, listed, command])).split("\n")
    assert lines[-1] == command
    assert all(len(line) <= 50 for line in lines[:-1])
    assert " ".join(line.strip() for line in lines[:-1]) == f"{prose} {listed.strip()}"


def test_commands_break_before_options_and_can_still_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Tty())
    command = "unnerve hunt zoo:lenet5 mnist5k --method pgd --out 'runs/my hunt' --region linf:0.05 --inputs 100"
    lines = fitted(f"Next: {command}").split("\n")
    assert lines == [
        "Next: unnerve hunt zoo:lenet5 mnist5k \\",
        "    --method pgd --out 'runs/my hunt' \\",
        "    --region linf:0.05 --inputs 100",
    ]
    # As a shell reads them: a backslash before the end of a line joins it with the next.
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == ["Next:", *shlex.split(command)]


def test_columns_on_the_right_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Tty())
    table = ["  group   PCS (95 %)      VRO             MI", "  benign  0.9 (0.8 to 1)  0.2             0.7", "  pgd"]
    wide = [line + " " * (46 - len(line)) + "  last one" for line in table]
    assert fitted("\n".join(table)) == "\n".join(table)
    shown = fitted("\n".join(["Verdict.", "", *wide])).split("\n")
    assert shown == ["Verdict.", "", *table, "  (too narrow for last one; --json has them all)"]


def test_in_a_pipe_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, io.StringIO())
    assert terminal_width() is None
    assert fitted("word " * 30) == "word " * 30
    assert coloured("verdict", "red") == "verdict"


def test_colours_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Tty())
    assert coloured("verdict", "red") == "\x1b[31m\x1b[1mverdict\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("verdict", "red") == "verdict"
