import numpy as np
import pytest
import torch
from scipy import stats

from unnerve.measure.robustness._weibull import fitted


@pytest.mark.parametrize(("shape", "scale", "end"), [(3.0, 2.0, 10.0), (6.0, 0.5, 1.0), (2.0, 0.1, -3.0)])
def test_finds_the_law_that_made_the_sample(shape: float, scale: float, end: float) -> None:
    gaps = stats.weibull_min.rvs(shape, scale=scale, size=(20, 2000), random_state=1)
    fit = fitted(torch.from_numpy(end - gaps))
    assert float(fit.end.mean()) == pytest.approx(end, abs=0.1 * scale)
    assert float(fit.shape.mean()) == pytest.approx(shape, rel=0.1)
    assert float(fit.scale.mean()) == pytest.approx(scale, rel=0.1)
    assert float((fit.fit > 0.05).double().mean()) > 0.7


def test_is_as_likely_as_the_best_fit_of_scipy() -> None:
    maxima = 5 - stats.weibull_min.rvs(4.0, scale=1.0, size=50, random_state=3)
    mine = fitted(torch.from_numpy(maxima[None]))
    theirs = max(
        (stats.weibull_max.fit(maxima, start) for start in (1.0, 5.0, 20.0)),
        key=lambda one: float(stats.weibull_max.logpdf(maxima, *one).sum()) - 0.01 * one[0] ** 2,
    )
    own = float(mine.shape), float(mine.end), float(mine.scale)
    likelihoods = [float(stats.weibull_max.logpdf(maxima, *one).sum()) - 0.01 * one[0] ** 2 for one in (own, theirs)]
    assert likelihoods[0] >= likelihoods[1] - 0.05


def test_samples_are_fitted_one_by_one() -> None:
    maxima = torch.from_numpy(3 - np.random.default_rng(0).weibull(3.0, (6, 30)))
    together = fitted(maxima)
    alone = [float(fitted(row[None]).end) for row in maxima]
    assert together.end.tolist() == pytest.approx(alone, rel=1e-9)


def test_does_not_depend_on_units() -> None:
    maxima = torch.from_numpy(3 - np.random.default_rng(0).weibull(3.0, (4, 40)))
    assert torch.allclose(fitted(1000 * maxima).end, 1000 * fitted(maxima).end, rtol=1e-6)


def test_equal_values_are_their_own_end() -> None:
    fit = fitted(torch.tensor([[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]))
    assert fit.end.tolist() == [2.0, 0.0]
    assert fit.fit.tolist() == [1.0, 1.0]
    assert bool(fit.shape.isnan().all())


def test_the_end_is_never_below_the_largest_value() -> None:
    maxima = torch.rand(50, 20, generator=torch.Generator().manual_seed(0))
    assert bool((fitted(maxima).end >= maxima.amax(dim=1)).all())
