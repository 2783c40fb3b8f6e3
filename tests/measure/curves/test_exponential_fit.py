import math

import numpy as np
import pytest
import torch

from unnerve.measure.curves.exponential_fit import ExponentialFit, exponential_fit, rank_bins


@pytest.mark.parametrize(("a", "b"), [(0.49, 90.37), (0.27, 3.87), (0.14, 4.0), (1.0, -2.0)])
def test_recovers_the_papers_curves(a: float, b: float) -> None:
    x = torch.linspace(0, 1, 50, dtype=torch.float64)
    fit = exponential_fit(x, a * torch.exp(-b * x))
    assert (fit.a, fit.b, fit.r) == pytest.approx((a, b, 1), rel=1e-9)
    assert fit.points == 50
    assert torch.allclose(fit(x), a * torch.exp(-b * x), rtol=1e-9)


def test_agrees_with_numpy_on_logarithms() -> None:
    random = np.random.default_rng(0)
    x = random.random(200)
    y = 0.4 * np.exp(-3 * x) * np.exp(0.3 * random.standard_normal(200))
    slope, height = np.polyfit(x, np.log(y), 1)
    fit = exponential_fit(torch.from_numpy(x), torch.from_numpy(y))
    assert (fit.a, fit.b) == pytest.approx((math.exp(height), -slope), rel=1e-9)
    assert fit.r == pytest.approx(np.corrcoef(y, fit.a * np.exp(-fit.b * x))[0, 1], rel=1e-9)
    assert 0 < fit.r < 1


def test_zeros_are_left_out() -> None:
    x = torch.arange(6, dtype=torch.float64)
    y = 0.5 * torch.exp(-x)
    y[[1, 4]] = 0
    fit = exponential_fit(x, y)
    assert (fit.a, fit.b) == pytest.approx((0.5, 1), rel=1e-9)
    assert fit.points == 4


@pytest.mark.parametrize(
    ("x", "y", "points"),
    [
        ([], [], 0),
        ([0.5], [0.5], 1),
        ([0.1, 0.2], [0.0, 0.0], 0),
        ([0.1, 0.2], [0.5, 0.0], 1),
        ([0.3, 0.3], [0.1, 0.2], 2),
    ],
)
def test_too_little_to_fit(x: list[float], y: list[float], points: int) -> None:
    fit = exponential_fit(torch.tensor(x), torch.tensor(y))
    assert all(map(math.isnan, (fit.a, fit.b, fit.r)))
    assert fit.points == points


def test_a_constant_has_no_correlation() -> None:
    fit = exponential_fit(torch.tensor([0.0, 0.5, 1.0]), torch.tensor([0.25, 0.25, 0.25]))
    assert (fit.a, fit.b) == pytest.approx((0.25, 0))
    assert math.isnan(fit.r)


def test_the_curve_is_callable() -> None:
    assert ExponentialFit(0.5, 2.0, 1.0, 3)(torch.tensor([0.0, 1.0])).tolist() == pytest.approx(
        [0.5, 0.5 * math.exp(-2)]
    )


def test_rank_bins_by_hand() -> None:
    centres, means = rank_bins(torch.tensor([1.0, 0.5, 0.5, 0.0]), bins=2)
    assert centres.tolist() == [0.25, 0.75]
    assert means.tolist() == [0.75, 0.25]


def test_rank_bins_of_uneven_length_keep_every_value() -> None:
    values = torch.arange(7.0)
    centres, means = rank_bins(values, bins=3)
    assert means.tolist() == [1.0, 3.5, 5.5]
    assert centres.tolist() == pytest.approx([1.5 / 7, 4 / 7, 6 / 7])


def test_fewer_values_than_bins() -> None:
    centres, means = rank_bins(torch.tensor([0.3, 0.1]))
    assert centres.tolist() == [0.25, 0.75]
    assert means.tolist() == pytest.approx([0.3, 0.1])
