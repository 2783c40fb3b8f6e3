"""Text that fits a terminal, and colours where there is one."""

import io

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


def test_prose_breaks_between_words_and_tables_and_commands_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Tty())
    prose, table, command = "word " * 30 + "end", "  " + "cell " * 30, "Next: unnerve report " + "x" * 60
    lines = fitted("\n".join([prose, table, command])).split("\n")
    assert lines[-2:] == [table, command]
    assert all(len(line) <= 50 for line in lines[:-2])
    assert " ".join(lines[:-2]) == prose


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
