import torch
from torch import Tensor
from torch.nn import functional

from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._provenance import INPUT, Call, CallRecorder, tensors


def recorded(x: Tensor, *steps: object) -> list[Call]:
    recorder = CallRecorder(DropoutCalls(), x)
    with recorder:
        value: object = x
        for step in steps:
            value = step(value)  # type: ignore[operator]
    recorder.end(value)
    return recorder.calls


def test_memory_is_followed_through_views_and_copies() -> None:
    view, copy = recorded(torch.ones(2, 3), lambda x: x[:, 1:], lambda x: x * 2)
    assert view.reads == view.returns == (INPUT,)
    assert copy.reads == (INPUT,)
    assert copy.returns == (1,)
    assert not view.writes
    assert not copy.writes


def test_writes_are_seen_however_they_are_written() -> None:
    def assigned(x: Tensor) -> Tensor:
        x[0] = 3
        return x

    for step in (lambda x: x.relu_(), assigned, lambda x: functional.relu(x, inplace=True), lambda x: x.data.mul_(2)):
        calls = recorded(torch.ones(2, 3), step)
        assert calls[-1].writes == {INPUT}
    into = recorded(torch.ones(3), lambda x: torch.add(x, 1, out=torch.zeros(3)))
    assert into[-1].writes == {into[0].returns[0]}


def test_dropout_is_noted_and_does_nothing() -> None:
    x = torch.rand(2, 3)
    recorder = CallRecorder(DropoutCalls(), x)
    with recorder:
        fresh, same = functional.dropout(x, 0.5, False), functional.dropout(x, 0.5, False, inplace=True)
    assert torch.equal(fresh, x)
    assert same is x
    assert [call.is_dropout for call in recorder.calls] == [True, True]
    assert [call.writes for call in recorder.calls] == [frozenset(), {INPUT}]
    assert recorder.calls[0].returns == (1,)
    assert [tuple(tensor.shape) for tensor in recorder.dropped] == [(2, 3), (2, 3)]


def test_what_calls_tell_beside_tensors() -> None:
    shape = recorded(torch.ones(3), lambda x: x.shape)[0]
    assert (shape.returns_values, shape.storable, shape.exposes_memory) == (False, True, False)
    largest, number = recorded(torch.ones(3), lambda x: x.max().item())
    assert [(call.returns_values, call.storable, call.exposes_memory) for call in (largest, number)] == [
        (False, True, False),
        (True, True, False),
    ]
    array = recorded(torch.ones(3), lambda x: x.numpy())[0]
    assert (array.storable, array.exposes_memory) == (False, True)


def test_tensors_are_found_in_nested_values() -> None:
    one, two = torch.ones(1), torch.ones(2)
    found = list(tensors(([one, (3, {"a": two})], "text", None, {"b": [one]})))
    assert [id(tensor) for tensor in found] == [id(one), id(two), id(one)]
