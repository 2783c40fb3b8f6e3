"""What each input adds to a coverage, as if the inputs were taken in one by one."""

import pytest
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.methods import Coverage, Covered
from unnerve.core.model import Observation, Want
from unnerve.core.naming.catalogue import build, names
from unnerve.measure.coverages import _obligations
from unnerve.studies.cover.cover import profile
from unnerve.subjects.adapters.torch_module import TorchModule

CRITERIA = [*names("coverage"), "kmnc:sections=7", "nc:0.6", "tknc:top=2", "tknp:ordered=yes"]


@pytest.fixture(params=CRITERIA)
def begun(request: pytest.FixtureRequest, tiny_model: TorchModule, small_data: Examples) -> tuple[Covered, Covered]:
    """Return two equal states of a criterion before any input."""
    criterion: Coverage = build("coverage", request.param)
    neurons = tiny_model.neuron_map(small_data.batch(range(1)).inputs)
    bounds = profile(tiny_model, small_data.first(10))
    return criterion.begin(neurons, bounds), criterion.begin(neurons, bounds)


def seen(model: TorchModule, data: Examples, rows: range) -> Observation:
    return model.observe(data.batch(rows).inputs, Want.RANGES)


@pytest.mark.parametrize("values", [2**20, 50])
def test_news_are_what_one_by_one_would_add(
    values: int,
    begun: tuple[Covered, Covered],
    tiny_model: TorchModule,
    small_data: Examples,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_obligations, "_NEWS", values)
    state, other = begun
    for start in (0, 12, 24):
        some = seen(tiny_model, small_data, range(start, start + 12))
        news = state.news(some)
        added = []
        for row in range(12):
            before = other.covered
            other.update(
                Observation(some.logits[row : row + 1], some.neurons[row : row + 1], some.ranges[row : row + 1])
            )
            added.append(other.covered - before)
        assert news.dtype == torch.int64
        assert news.tolist() == added
        before = state.covered
        assert state.news(some).tolist() == added, "nothing was marked"
        state.update(some)
        assert state.covered - before == sum(added)
        assert state.news(some).tolist() == [0] * 12


def test_a_stored_state_goes_on(begun: tuple[Covered, Covered], tiny_model: TorchModule, small_data: Examples) -> None:
    state, other = begun
    state.update(seen(tiny_model, small_data, range(20)))
    other.load(state.tensors())
    assert other.covered == state.covered
    rest = seen(tiny_model, small_data, range(20, 40))
    assert torch.equal(other.news(rest), state.news(rest))
    other.update(rest)
    state.update(rest)
    assert (other | state).covered == state.covered


def test_a_foreign_state_is_refused(tiny_model: TorchModule, small_data: Examples) -> None:
    neurons = tiny_model.neuron_map(small_data.batch(range(1)).inputs)
    with pytest.raises(InvalidData, match=r"^coverage of \(\d+, 1\) bytes cannot be \(2, 1\) of uint8$"):
        build("coverage", "nc").begin(neurons).load({"bits": torch.zeros(2, 1, dtype=torch.uint8)})
