"""Settings as plain keywords."""

import inspect
from dataclasses import MISSING, dataclass, field, fields

import pytest

from unnerve.core.errors import UnknownName
from unnerve.core.naming.keywords import default_of, documented, flat


@dataclass(frozen=True)
class Size:
    """How much.

    Parameters
    ----------
    inputs : int
        How many ``inputs``,
        as :class:`~some.where.Examples` counts them.
    seed : int
        The random seed.
    low, high : float
        Both ends.

    References
    ----------
    Nobody.
    """

    inputs: int = 100
    seed: int = 0
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Dropout:
    """A group that is named like one of its fields."""

    dropout: float | None = None
    seed: int = 0
    places: list[str] = field(default_factory=list)


@flat(inputs=20)
def hunt(model: str, method: str = "pgd", *, size: Size, dropout: Dropout, loud: bool = False) -> tuple[object, ...]:
    """Return what was given."""
    return model, method, size, dropout, loud


def test_defaults_are_those_of_the_settings_unless_the_verb_has_its_own() -> None:
    assert hunt("m") == ("m", "pgd", Size(inputs=20), Dropout(), False)


def test_fields_are_keywords_beside_the_verbs_own() -> None:
    assert hunt("m", "fgsm", inputs=5, high=2.0, loud=True) == ("m", "fgsm", Size(5, high=2.0), Dropout(), True)
    assert hunt(model="m", method="fgsm") == hunt("m", "fgsm")


def test_a_group_can_be_given_whole() -> None:
    assert hunt("m", size=Size(3))[2] == Size(3)
    assert hunt("m", size=Size())[2] == Size(100), "then the verb's own defaults do not count"
    assert hunt("m", size=Size(3), places=["a"])[2:4] == (Size(3), Dropout(places=["a"]))


def test_a_group_is_whole_or_in_fields() -> None:
    with pytest.raises(TypeError, match=r"^inputs is a field of size, which was given whole$"):
        hunt("m", size=Size(3), inputs=4)


def test_a_group_named_like_a_field_takes_both() -> None:
    assert hunt("m", dropout=0.4)[3] == Dropout(0.4)
    assert hunt("m", dropout=0.4, places=["a"])[3] == Dropout(0.4, places=["a"])
    assert hunt("m", dropout=None)[3] == Dropout()
    assert hunt("m", dropout=Dropout(0.3))[3] == Dropout(0.3)
    with pytest.raises(TypeError, match=r"^places is a field of dropout, which was given whole$"):
        hunt("m", dropout=Dropout(0.3), places=["a"])


def test_a_shared_field_goes_to_all_groups() -> None:
    assert hunt("m", seed=7)[2:4] == (Size(20, seed=7), Dropout(seed=7))


def test_an_unknown_keyword_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match=r"^unknown setting of hunt 'input'; did you mean inputs\b"):
        hunt("m", input=5)
    with pytest.raises(UnknownName, match=r"^unknown setting of hunt 'lowd'; did you mean (loud or low|low or loud)"):
        hunt("m", lowd=True)


def test_the_signature_shows_the_fields() -> None:
    shown = inspect.signature(hunt).parameters
    assert list(shown) == ["model", "method", "loud", "inputs", "seed", "low", "high", "dropout", "places"]
    assert (shown["inputs"].default, shown["high"].default, shown["places"].default) == (20, 1.0, [])
    assert shown["model"].default is inspect.Parameter.empty
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for name, one in shown.items() if name in ("loud", "low"))
    assert hunt.__name__ == "hunt"
    assert hunt.__doc__ == "Return what was given."


def test_what_the_docstring_says_of_each_field() -> None:
    assert documented(Size) == {
        "inputs": "How many inputs, as Examples counts them.",
        "seed": "The random seed.",
        "low": "Both ends.",
        "high": "Both ends.",
    }
    assert documented(Dropout) == {}


def test_the_default_of_a_field() -> None:
    @dataclass
    class Needed:
        it: int

    assert [default_of(one) for one in fields(Dropout)] == [None, 0, []]
    assert default_of(fields(Needed)[0]) is MISSING


@flat("low", "high")
def measure(model: str, *, loud: bool = False, size: Size) -> tuple[object, ...]:
    """Return what was given, two fields by place or by name."""
    return model, loud, size


def test_fields_may_have_a_place() -> None:
    assert measure("m", 0.1, 0.9) == measure("m", 0.1, high=0.9) == ("m", False, Size(low=0.1, high=0.9))
    assert measure("m", loud=True, high=0.9) == ("m", True, Size(high=0.9))
    assert list(inspect.signature(measure).parameters) == ["model", "low", "high", "loud", "inputs", "seed"]
    inspect.signature(measure).bind("m", 0.1, 0.9, inputs=3)
    with pytest.raises(TypeError, match=r"^measure\(\) got multiple values for 'low'$"):
        measure("m", 0.1, low=0.2)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2"):
        measure("m", 0.1, 0.9, 5)
