import operator

import pytest
import torch
from torch import nn

from unnerve.subjects.adapters.exported._functions import function_named, is_plain, kind_named, name_of, operation


@pytest.mark.parametrize(
    ("function", "name", "does"),
    [
        (torch.ops.aten.relu.default, "aten.relu.default", "relu"),
        (torch.ops.aten.relu_.default, "aten.relu_.default", "relu"),
        (torch.ops.aten.add.Tensor, "aten.add.Tensor", "add"),
        (operator.getitem, "_operator:getitem", "getitem"),
        (torch.sym_max, "torch:sym_max", "sym_max"),
    ],
)
def test_functions_are_found_again_by_their_names(function: object, name: str, does: str) -> None:
    assert name_of(function) == name
    assert function_named(name) is function
    assert operation(name) == does


@pytest.mark.parametrize("function", [lambda x: x, torch.ops.higher_order.cond, print])
def test_functions_without_a_lasting_name(function: object) -> None:
    assert name_of(function) is None


def test_what_lays_numbers_out_anew_has_no_neurons() -> None:
    assert all(map(is_plain, ("aten.view.default", "_operator:mul", "aten.zeros_like.default")))
    assert not any(map(is_plain, ("aten.relu.default", "aten.cat.default", "aten.mean.dim")))


def test_what_an_operation_stands_for() -> None:
    assert kind_named("aten.relu.default", "") is nn.ReLU
    assert kind_named("aten.hardtanh.default", "torch.nn.modules.activation.ReLU6") is nn.ReLU6
    assert kind_named("aten.linear.default", "my.package.Linear") is nn.Linear
    assert kind_named("aten.cumsum.default", "") is nn.Module
