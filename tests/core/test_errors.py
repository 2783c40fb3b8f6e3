import pytest

from unnerve.core.errors import (
    InvalidData,
    InvalidModel,
    InvalidSetting,
    MissingExtra,
    OutputRefused,
    UnknownName,
    UserError,
)


@pytest.mark.parametrize("kind", [InvalidData, InvalidModel, InvalidSetting, MissingExtra, OutputRefused, UnknownName])
def test_every_error_is_the_users(kind: type[Exception]) -> None:
    assert issubclass(kind, UserError)


def test_suggests_the_nearest_name() -> None:
    assert str(UnknownName("score", "ginni", ["pd", "gini", "pv"])) == "unknown score 'ginni'; did you mean gini?"


def test_suggests_several_near_names() -> None:
    message = str(UnknownName("zoo model", "lenet", ["lenet1", "lenet4", "net1", "vgg16"]))
    assert message.startswith("unknown zoo model 'lenet'; did you mean lenet")
    assert {"lenet1", "lenet4"} <= set(message.rstrip("?").replace(" or ", " ").split())
    assert "vgg16" not in message


def test_lists_all_names_if_none_is_near() -> None:
    assert str(UnknownName("score", "zzz", ["pd", "gini"])) == "unknown score 'zzz'; known: gini, pd"


def test_a_missing_extra_says_how_to_install_it() -> None:
    assert str(MissingExtra("mnist5k", "demo")) == 'mnist5k needs an optional package: pip install "unnerve[demo]"'
