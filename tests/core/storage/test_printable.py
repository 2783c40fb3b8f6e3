"""Text from strangers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.core.storage.printable import one_line, printable, printable_lines, table_cell


def test_control_characters_become_visible() -> None:
    assert printable("a\x00b\x1b[31m\n\x7f") == "a␀b␛[31m␊␡"
    assert printable("\u202egnp.exe\ud800") == "\ufffdgnp.exe\ufffd"


def test_letters_of_all_scripts_stay() -> None:
    assert printable("Größe 数字 क्\u200dष 👩\u200d🚀") == "Größe 数字 क्\u200dष 👩\u200d🚀"


@given(st.text(st.characters()))
def test_what_is_printable_can_be_written_on_one_line(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1


@given(st.text(st.characters()))
def test_lines_stay_lines(text: str) -> None:
    shown = printable_lines(text)
    assert shown.count("\n") == text.count("\n")
    assert all(line.isprintable() or "\u200c" in line or "\u200d" in line for line in shown.split("\n"))


def test_a_long_message_keeps_both_ends() -> None:
    assert one_line("a\nb\t c\x1b[0m") == "a b c␛[0m"
    line = one_line("first " + "x" * 10_000 + " last")
    assert len(line) < 2100
    assert (line[:6], line[-5:]) == ("first ", " last")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(A1)", "'=HYPERLINK(A1)"),
        ("+1+1", "'+1+1"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("|calc", "'|calc"),
        ("\t=1", "␉=1"),
        ("-0.5", "-0.5"),
        ("+3", "+3"),
        ("-inf", "-inf"),
        ("cats/a-1.png", "cats/a-1.png"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(text: str, cell: str) -> None:
    assert table_cell(text) == cell


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x202E, 0x2066, 0xD800, 0xFEFF])
def test_no_character_is_left_that_a_terminal_would_obey(code: int) -> None:
    for text in (f"a{chr(code)}[31mb", chr(code), f"{chr(code)}=1"):
        for shown in (printable(text), one_line(text), table_cell(text)):
            assert chr(code) not in shown
            assert shown.isprintable()
