"""Settings as options of the command."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from unnerve.core.naming.option_text import changed, method_text, option_text, option_words, written
from unnerve.generate.attacks.foreign.foreign import Foreign
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.linf import Linf


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("conv*", "conv*"),
        (Path("a b") / "c", "a b/c"),
        (True, True),
        (7, "7"),
        (np.int64(7), "7"),
        (0.1, "0.1"),
        (8 / 255, "0.03137254901960784"),
        (np.float64(0.5), "0.5"),
        ((0, 255), "0,255"),
        (([0.485, 0.456], [0.229, 0.224]), "0.485,0.456/0.229,0.224"),
        (([0.5], [0.25]), "0.5/0.25"),
        (["pool*", "before:fc2"], "pool*,before:fc2"),
        (torch.zeros(2), None),
        ([torch.zeros(2)], None),
        (False, None),
        ([], None),
        (print, None),
    ],
)
def test_plain_values(value: object, text: str | bool | None) -> None:
    assert option_text(value) == text


def test_numbers_lose_no_digit() -> None:
    for value in (1 / 3, 1e-9, 123456789.125, -2.5e30):
        assert float(str(option_text(value))) == value


class Ball:
    """A region that no other process can find."""

    def project(self) -> None:
        """Do nothing."""


def shake(inputs: Any, labels: Any) -> Any:
    return inputs


def test_methods_are_written_if_another_process_finds_them() -> None:
    assert method_text("region", Linf(0.1, low=-1.0)) == "linf:0.1,low=-1"
    assert method_text("hunter", (PGD(steps=7), "random")) == "pgd:steps=7,random"
    assert method_text("hunter", "tour") == "tour"
    assert method_text("region", Ball()) is None
    assert method_text("hunter", Foreign.of(lambda inputs, labels: inputs)) is None
    assert method_text("hunter", ("pgd", Foreign.of(lambda inputs, labels: inputs))) is None


def test_a_method_of_the_running_script_is_not_found_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Foreign("unnerve.testing.attacks:nudge")
    assert str(method_text("hunter", known)).startswith("foreign:unnerve.testing.attacks:nudge")
    monkeypatch.setattr(shake, "__module__", "__main__")
    monkeypatch.setattr("__main__.shake", shake, raising=False)
    assert method_text("hunter", Foreign.of(shake)) is None


@dataclass(frozen=True)
class Wishes:
    count: int = 3
    loud: bool = False
    where: Any = field(default=None, metadata={"kind": "region"})
    data: Any = None
    progress: bool = field(default=True, metadata={"option": False})


@pytest.mark.parametrize(
    ("wishes", "options", "only_in_python"),
    [
        (Wishes(), {}, ()),
        (Wishes(4, True, progress=False), {"count": "4", "loud": True}, ()),
        (Wishes(where=Linf(0.1), data=Path("a")), {"where": "linf:0.1", "data": "a"}, ()),
        (Wishes(where="l2:1", data=torch.zeros(3)), {"where": "l2:1"}, ("data",)),
        (Wishes(where=Ball()), {}, ("where",)),
    ],
)
def test_what_differs_from_the_defaults(wishes: Wishes, options: dict[str, Any], only_in_python: tuple[str]) -> None:
    assert changed(wishes) == (options, only_in_python)


def test_a_verb_has_defaults_of_its_own() -> None:
    assert changed(Wishes(), {"count": 5}) == ({"count": "3"}, ())
    assert changed(Wishes(5), {"count": 5}) == ({}, ())


def test_words_of_a_command() -> None:
    assert option_words({"stored_range": "-1,1", "quantised": True}) == ["--stored-range", "-1,1", "--quantised"]
    assert written({"a": "1", "b": None, "c": True}) == ({"a": "1", "c": True}, ("b",))
