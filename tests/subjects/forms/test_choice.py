from pathlib import Path
from typing import Any

import pytest

from unnerve.core.errors import InvalidModel
from unnerve.core.naming.catalogue import find, names
from unnerve.subjects.forms._choice import form_of

EXAMPLES = {
    "hf": ("hf:models/vit", "models/vit"),
    "http": ("https://host/a,b?x=1,timeout=5", "https://host/a,b?x=1"),
    "joblib": ("forest.pkl", "forest.pkl"),
    "skops": ("forest.skops", "forest.skops"),
    "onnx": ("onnx:weights.bin", "weights.bin"),
    "python": ("net.py:build", "net.py:build"),
    "pt": ("net.pt", "net.pt"),
    "pt2": ("some/net.PT2", "some/net.PT2"),
    "zoo": ("zoo:net2:channels=3,size=32?random", "net2:channels=3,size=32?random"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_text_is_of_one_form(name: str) -> None:
    text, place = EXAMPLES[name]
    form, found = form_of(text)
    assert type(form).__name__.lower() == name.replace("_", "")
    assert found == place


@pytest.mark.parametrize("name", names("model form"))
def test_every_form_is_a_value_that_can_be_named(name: str) -> None:
    kind: Any = find("model form", name)
    assert kind.__dataclass_params__.frozen
    assert type(form_of(f"{name}:some/place")[0]) is kind
    assert kind.shown
    assert name in EXAMPLES


def test_a_misspelt_prefix_is_no_module() -> None:
    with pytest.raises(InvalidModel, match=r"a model must be zoo:NAME, .*, got 'zo:lenet5'"):
        form_of("zo:lenet5")
    assert form_of("json:loads")[1] == "json:loads"


def test_a_module_of_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_own_net.py").write_text("")
    assert form_of("my_own_net:build")[1] == "my_own_net:build"


def test_no_prefix_or_suffix_has_two_forms() -> None:
    kinds: list[Any] = [find("model form", name) for name in names("model form")]
    words = [*names("model form"), *(word for kind in kinds for word in kind.also)]
    assert len(words) == len(set(words))


def test_an_unknown_text_is_told_all_forms() -> None:
    with pytest.raises(InvalidModel) as error:
        form_of("net.h5")
    assert str(error.value).startswith("a model must be zoo:NAME, ")
    for name in names("model form"):
        kind: Any = find("model form", name)
        assert kind.shown in str(error.value)
