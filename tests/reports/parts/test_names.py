"""Names that users gave."""

from hypothesis import given
from hypothesis import strategies as st

from unnerve.reports.parts.names import class_name, display_name, short


@given(st.text(), st.integers(4, 40))
def test_short_names_keep_to_their_width(text: str, width: int) -> None:
    assert len(short(text, width)) == min(len(text), width)


def test_long_names_keep_both_ends() -> None:
    assert short("/a/very/long/path/to/picture.png", 16) == "/a/very/lo…e.png"


def test_a_class_without_a_name_has_its_number() -> None:
    assert [class_name(("cat", "d\tog"), index) for index in (0, 1, 2)] == ["cat", "d␉og", "class 2"]


def test_a_name_for_display_is_printable_and_short() -> None:
    assert display_name("a\x1bb", 10) == "a\u241bb"
    assert display_name("a" * 20, 10) == short("a" * 20, 10)
