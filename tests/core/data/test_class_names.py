"""What a class is called."""

from unnerve.core.data.class_names import class_called, telling


def test_names_and_numbers() -> None:
    assert [class_called(("cat", "dog"), number) for number in (0, 1, 2, -1)] == ["cat", "dog", "2", "-1"]
    assert class_called((), 3) == "3"


def test_what_tells_more_than_numbers() -> None:
    assert telling(("0", "1", "cat"))
    assert not telling(("0", "1", "2"))
    assert not telling(())
