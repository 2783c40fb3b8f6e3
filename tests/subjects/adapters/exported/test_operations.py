import torch

from unnerve.subjects.adapters.exported.operations import Call, Constant, Operation, Rows, Value


def test_a_call_fills_in_values_constants_and_rows() -> None:
    call = Call("aten.cat.default", ((Value(1), Constant("c")), 0))
    found = call.run([None, torch.zeros(1, 2)], {"c": torch.ones(2, 2)}, 7)
    assert found.tolist() == [[0, 0], [1, 1], [1, 1]]
    spread = Call("aten.expand.default", (Constant("c"), (Rows(2), -1)))
    assert spread.run([], {"c": torch.ones(1, 2)}, 3).shape == (6, 2)
    assert call.values() == (1,)


def test_calls_are_values() -> None:
    one, other = (Call("aten.add.Tensor", (Value(0), Constant("w")), (("alpha", 2),)) for _ in range(2))
    assert one == other
    assert len({one, other}) == 1
    assert one != other.mapped(lambda part: Value(1) if isinstance(part, Value) else part)


def test_dropout_that_is_switched_off_is_none() -> None:
    for rate, drops in ((0.5, True), (0.0, False)):
        assert Operation(Call("aten.dropout.default", (Value(0), rate, False)), {}).drops == drops
    assert not Operation(Call("aten.relu.default", (Value(0),)), {}).drops
