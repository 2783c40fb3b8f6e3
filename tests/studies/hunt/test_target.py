"""A target by name or number."""

import re
from pathlib import Path

import pytest
import torch

from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.studies.hunt._target import target_class
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

X = torch.linspace(0, 1, 6 * 64).reshape(6, 1, 8, 8)
NAMED = tensors(X, classes=("cat", "dog", "2", "eel"), name="zoo")


def test_names_come_before_numbers() -> None:
    assert target_class("eel", NAMED) == 3
    assert target_class("2", NAMED) == 2
    assert target_class("1", NAMED) == 1
    assert target_class(0, NAMED) == 0
    assert target_class(None, NAMED) is None


def test_what_is_no_class() -> None:
    with pytest.raises(UnknownName, match=re.escape("unknown class of zoo 'cow'; known: 2, cat, dog, eel")):
        target_class("cow", NAMED)
    with pytest.raises(
        InvalidSetting, match="target must be a number >= 0: the classes of bare have no names, got 'c'"
    ):
        target_class("c", tensors(X, name="bare"))


def test_a_hunt_for_a_name_is_that_for_its_number(tiny_model: TorchModule, tmp_path: Path) -> None:
    answers = tiny_model.observe(X).predicted.tolist()
    other = next(number for number in range(4) if answers.count(number) < 6)
    name = NAMED.classes[other]
    by_name = hunt(tiny_model, NAMED, method="random", target=name, inputs=2, queries=5, out=tmp_path / "a")
    by_number = hunt(tiny_model, NAMED, method="random", target=other, inputs=2, queries=5, out=tmp_path / "b")
    assert by_name.plan.oracle.target == by_number.plan.oracle.target == other
    assert by_name.plan.call is not None
    assert by_name.plan.call.settings["target"] == name
