import pytest
import torch
from torch import Tensor

from unnerve.generate.fuzzers._neuron_choice import Activity, chosen_neurons

NAN = float("nan")


def activity(counts: list[int], weights: list[float] | None = None, relative: Tensor | None = None) -> Activity:
    size = len(counts)
    return Activity(
        torch.tensor(counts),
        torch.tensor([NAN] * size if weights is None else weights),
        torch.zeros(1, size) if relative is None else relative,
        torch.tensor([True] * (size - 1) + [False]),
        0.5,
    )


def shares(strategy: str, given: Activity, rows: int = 4000) -> list[float]:
    """Return how often each neuron is chosen, one for each image."""
    size = len(given.counts)
    many = Activity(given.counts, given.weights, given.relative.expand(rows, -1), given.hidden, given.threshold)
    draws = torch.rand(rows, 1, size, generator=torch.Generator().manual_seed(0))
    neurons, _ = chosen_neurons(strategy, many, 1, draws)
    return (torch.bincount(neurons.flatten(), minlength=size) / rows).tolist()


def test_strategy_0_follows_how_often_neurons_were_activated() -> None:
    assert shares("0", activity([0, 1, 3])) == pytest.approx([0, 0.25, 0.75], abs=0.03)


def test_strategy_1_follows_how_rarely_neurons_were_activated() -> None:
    assert shares("1", activity([0, 1, 3])) == pytest.approx([0.6, 0.4, 0], abs=0.03)


def test_strategy_2_draws_among_the_largest_positive_weights() -> None:
    weights = [NAN, *(0.01 * place for place in range(20))]
    found = shares("2", activity([0] * 21, weights))
    assert found[19:] == pytest.approx([0.5, 0.5], abs=0.03)


def test_strategy_3_takes_hidden_neurons_near_the_threshold_with_their_side() -> None:
    relative = torch.tensor([[0.6, 0.4, 0.9, 0.1, 0.55]])
    found = shares("3", activity([0] * 5, relative=relative))
    assert found == pytest.approx([0.5, 0.5, 0, 0, 0], abs=0.03), "the last neuron belongs to the answer"
    neurons, signs = chosen_neurons("3", activity([0] * 5, relative=relative), 2, torch.rand(1, 1, 5))
    assert dict(zip(neurons[0].tolist(), signs[0].tolist(), strict=True)) == {0: 1, 1: -1}


def test_never_activated_neurons_come_first_and_then_any() -> None:
    neurons, signs = chosen_neurons("r", activity([4, 0, 0, 2]), 3, torch.rand(1, 1, 4))
    assert set(neurons[0, :2].tolist()) == {1, 2}
    assert signs.tolist() == [[1, 1, 1]]


def test_several_strategies_share_the_neurons_evenly() -> None:
    neurons, _ = chosen_neurons("r0", activity([5, 0, 0, 0, 5]), 3, torch.rand(1, 2, 5))
    assert set(neurons[0, :2].tolist()) <= {1, 2, 3}
    assert int(neurons[0, 2]) in (0, 4)


@pytest.mark.parametrize("strategy", ["r", "0", "1", "3"])
def test_others_are_drawn_where_neurons_with_odds_are_too_few(strategy: str) -> None:
    counts = {"r": [1, 1, 1, 0, 1], "0": [0, 0, 0, 7, 0], "1": [7, 7, 7, 0, 7], "3": [1] * 5}[strategy]
    given = activity(counts, relative=torch.tensor([[0.0, 1.0, 0.0, 0.6, 0.0]]).expand(4000, -1))
    draws = torch.rand(4000, 1, 5, generator=torch.Generator().manual_seed(0))
    neurons, _ = chosen_neurons(strategy, given, 2, draws)
    assert set(neurons[:, 0].tolist()) == {3}
    second = torch.bincount(neurons[:, 1], minlength=5) / 4000
    assert second.tolist() == pytest.approx([0.25, 0.25, 0.25, 0, 0.25], abs=0.03)


def test_strategy_2_is_filled_up_in_the_order_of_the_network() -> None:
    neurons, _ = chosen_neurons("2", activity([0] * 5, [NAN, 0.1, 0.2, 0.3, 0.4]), 3, torch.rand(1, 1, 5))
    assert neurons.tolist() == [[4, 0, 1]]
