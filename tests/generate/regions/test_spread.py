import pickle

import pytest
import torch

from unnerve.core.data.features import Feature, Features
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import InUnits, Normed
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.generate.regions.spread import Spread

FEATURES = Features(
    (
        Feature("age", "whole", 20, 80, 10),
        Feature("income", "real", 1000, 5000, 500),
        Feature("city", "category", 0, 2, 0.8, ("Bonn", "Kiel", "Ulm")),
        Feature("planet", "real", 3, 3, 0),
    )
)
REGION = Spread(0.25, FEATURES)
SEED = torch.tensor([[50.0, 1100.0, 2.0, 3.0]])
"""In standard deviations from the least values: 3 and 0.2; city and planet stay."""


def test_measures_in_standard_deviations() -> None:
    centre = REGION.measured(SEED)
    assert centre.tolist() == [[3, pytest.approx(0.2), 2, 3]]
    assert REGION.unmeasured(centre).tolist() == [[50, pytest.approx(1100), 2, 3]]
    assert REGION.lengths.tolist() == [10, 500, 1, 1]
    assert REGION.value_range == (0, 8), "incomes are 8 standard deviations wide"


def test_limits_by_hand() -> None:
    low, high = REGION.limits(REGION.measured(SEED))
    assert low.tolist() == [[2.75, 0, 2, 3]], "no income is less than the least"
    assert high.tolist() == [[3.25, pytest.approx(0.45), 2, 3]]


def test_projects_categories_and_constants_back() -> None:
    x = torch.tensor([[9.0, 0.3, 0.0, 7.0]])
    assert REGION.project(x, REGION.measured(SEED)).tolist() == [[3.25, pytest.approx(0.3), 2, 3]]
    swarm = torch.randn(1, 5, 4, generator=torch.Generator().manual_seed(0)) * 9
    inside = REGION.project(swarm, REGION.measured(SEED))
    assert (inside[..., 2:] == torch.tensor([2.0, 3.0])).all()


def test_contains_by_hand() -> None:
    centre = REGION.measured(SEED)
    rows = centre.repeat(5, 1)
    rows[1, 0] = 3.25
    rows[2, 0] = 3.26
    rows[3, 2] = 1
    rows[4, 1] = -0.01
    assert REGION.contains(rows, centre.expand(5, 4)).tolist() == [True, True, False, False, False]


def test_what_is_stored_is_a_row_of_the_table() -> None:
    centre = REGION.measured(SEED)
    found = torch.tensor([[3.25, 0.1, 0.0, 9.0], [2.87, 0.2, 2.0, 3.0], [3.0999, -1.0, 2.0, 3.0]])
    found[1, 1] = centre[0, 1]
    rows = REGION.settled(found, SEED.expand(3, 4))
    # 2.5 years more are 2, 1.3 less are 1, and 0.999 are 1 but for rounding; categories and constants are the seed's.
    assert rows[:, 0].tolist() == [52, 49, 50]
    assert rows[:, 1].tolist() == [1050, 1100, 1000]
    assert (rows[:, 2:] == SEED[:, 2:]).all()
    almost = torch.tensor([[3.0999999, 0.2, 2.0, 3.0]])
    assert REGION.settled(almost, SEED)[0, 0] == 51


def test_what_is_stored_lies_inside_the_region() -> None:
    generator = torch.Generator().manual_seed(0)
    low, high = torch.tensor([20.0, 1000, 0, 3]), torch.tensor([80.0, 5000, 2, 3])
    seeds = low + (high - low) * torch.rand(200, 4, generator=generator)
    seeds[:, [0, 2]] = seeds[:, [0, 2]].round()
    centre = REGION.measured(seeds)
    found = REGION.project(centre + torch.randn(200, 4, generator=generator), centre.clone())
    rows = REGION.settled(found, seeds)
    assert REGION.contains(REGION.measured(rows), centre).all()
    assert (rows[:, 0] == rows[:, 0].round()).all()
    assert ((rows >= low) & (rows <= high)).all()


def test_values_that_float32_cannot_tell_apart() -> None:
    huge = Spread(0.3, Features((Feature("serial", "real", 1e6, 1e6 + 8, 1.0),)))
    seeds = torch.tensor([[1e6 + 4]])
    centre = huge.measured(seeds)
    rows = huge.settled(centre + 0.3, seeds)
    assert rows.tolist() == [[1e6 + 4.3125]], "the next number to 4.3 that there is"
    assert huge.contains(huge.measured(rows), centre).all()


def test_says_what_it_is() -> None:
    assert isinstance(REGION, InUnits)
    assert isinstance(REGION, Normed)
    assert describe(REGION) == {"name": "spread", "radius": 0.25}
    assert build("region", "spread:0.25") == Spread(0.25)
    assert pickle.loads(pickle.dumps(REGION)) == REGION  # noqa: S301 - our own
    facts = REGION.facts((4,))
    assert (facts.text, facts.norm, facts.wider) == ("spread:0.25", "linf", "spread:0.5")
    assert facts.reach == pytest.approx(0.25 * 2**0.5), "two features may change"


def test_steps_leave_categories_alone() -> None:
    assert REGION.steepest(torch.tensor([[2.0, -3.0, 5.0, 1.0]])).tolist() == [[1, -1, 0, 0]]
    samples = REGION.samples(REGION.measured(SEED), Streams(0, ["a"]), 0, 50)
    assert (samples[..., 2:] == torch.tensor([2.0, 3.0])).all()


@pytest.mark.parametrize("radius", [0, -1, float("nan"), float("inf")])
def test_refuses_a_wrong_radius(radius: float) -> None:
    with pytest.raises(InvalidSetting, match="radius must be > 0 and finite"):
        Spread(radius)
