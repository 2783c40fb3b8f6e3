import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.masks import Masks


def test_a_key_belongs_to_seed_and_id() -> None:
    keys = Masks(3, ("a", "b", "a")).row_keys()
    assert keys.dtype == "uint64"
    assert keys[0] == keys[2] != keys[1]
    assert Masks(3, ("b",)).row_keys()[0] == keys[1]
    assert Masks(4, ("b",)).row_keys()[0] != keys[1]
    assert Masks(3, ("b",), draws=7, start=9).row_keys()[0] == keys[1]


def test_keys_are_the_same_for_ever() -> None:
    # A stored result must be found again by a later version.
    assert [hex(key) for key in Masks(0, ("0", "seed")).row_keys()] == ["0xcd1d341072ef7386", "0x49b585bc1f85b28a"]


def test_what_belongs_to_no_input_has_a_key_of_its_own() -> None:
    one, other = Masks(3, ("a", "")), Masks(3, ("b",))
    assert one.common_key() == other.common_key()
    assert one.common_key() not in one.row_keys().tolist()
    assert Masks(4, ("a",)).common_key() != one.common_key()


def test_rows_are_chosen_by_slice_or_number() -> None:
    masks = Masks(0, ("a", "b", "c"), draws=4, start=2)
    assert masks[1:] == Masks(0, ("b", "c"), draws=4, start=2)
    assert masks[[2, 0, 2]].ids == ("c", "a", "c")
    assert len(masks[[2, 0, 2]]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": -1}, "seed must be in"),
        ({"draws": 0}, "draws must be >= 1, got 0"),
        ({"start": -1}, "start must be in"),
    ],
)
def test_refuses_what_cannot_be(given: dict[str, int], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        Masks(**{"seed": 0, "ids": ("a",)} | given)  # type: ignore[arg-type]
