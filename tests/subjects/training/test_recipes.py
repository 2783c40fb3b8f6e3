from typing import Any

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.training.recipes import Recipe, recipe_for


@pytest.mark.parametrize("network", ["net1", "net2", "peacepact_net1"])
@pytest.mark.parametrize(
    ("shape", "rate", "epochs"), [((1, 28, 28), 0.1, 20), ((3, 32, 32), 0.01, 60)], ids=["MNIST", "CIFAR"]
)
def test_the_papers_tables(network: str, shape: tuple[int, ...], rate: float, epochs: int) -> None:
    # NSATP Table II, PEACEPACT Table III.
    recipe = recipe_for(network, shape)
    assert (recipe.rate, recipe.batch, recipe.epochs) == (rate, 512, epochs)
    assert (recipe.optimiser, recipe.momentum, recipe.schedule) == ("sgd", 0.0, "constant")


def test_the_lenets_have_our_own_recipe() -> None:
    assert recipe_for("lenet5", (1, 28, 28)) == Recipe()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"epochs": 0}, "epochs must be >= 1, got 0"),
        ({"batch": 0}, "batch must be >= 1, got 0"),
        ({"rate": 0.0}, "rate must be > 0, got 0.0"),
        ({"rate": float("nan")}, "rate must be > 0, got nan"),
        ({"optimiser": "lion"}, "optimiser must be sgd or adam, got 'lion'"),
        ({"momentum": 1.0}, "momentum must be in [0, 1), got 1.0"),
        ({"momentum": -0.1}, "momentum must be in [0, 1), got -0.1"),
        ({"schedule": "steps"}, "schedule must be constant or cosine or one_cycle, got 'steps'"),
        ({"seed": -1}, "seed must be in [0, 2**63), got -1"),
        ({"seed": 2**63}, f"seed must be in [0, 2**63), got {2**63}"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        Recipe(**settings)
    assert str(error.value) == words
