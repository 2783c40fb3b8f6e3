"""Programs of functions, and values that are told by how they are written."""

from types import FunctionType

from unnerve.core.naming.programs import held, is_held, named_beside, unwrapped


def test_sets_are_told_alike_in_every_process() -> None:
    assert held({"b", "a"}) == held({"a", "b"}) == "set[\"'a'\", \"'b'\"]"
    assert not is_held([object()])
    assert not is_held((len,))
    assert is_held({"a": [1, None, (2.0,)]})


class Odd:
    """Raises whatever it is asked."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


ODD = Odd()
FACTOR = 3


def test_other_things_that_a_function_names_are_left_alone() -> None:
    def scaled(value: int) -> object:
        return (ODD, value * FACTOR)

    assert isinstance(scaled, FunctionType)
    assert list(named_beside([scaled])) == ["FACTOR=3"]
    assert unwrapped(ODD) == []
