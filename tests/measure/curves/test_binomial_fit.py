import numpy as np
import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.measure.curves.binomial_fit import CURVES, binomial_fit

X = (np.arange(400) + 0.5) / 400
TRUE = {
    "exponential": 0.6 * np.exp(-7 * X),
    "power": 0.05 * X**-0.4,
    "stretched": 0.9 * np.exp(-3 * X**0.4),
}


@pytest.mark.parametrize("curve", CURVES)
def test_the_curve_that_made_the_data_is_preferred(curve: str) -> None:
    successes = np.rint(1000 * TRUE[curve])
    fits = {name: binomial_fit(X, successes, 1000, name) for name in CURVES}
    assert min(fits, key=lambda name: fits[name].aic) == curve
    assert np.abs(fits[curve](X) - TRUE[curve]).max() < 0.02


def test_height_and_fall_of_an_exponential() -> None:
    fit = binomial_fit(X, np.rint(10_000 * TRUE["exponential"]), 10_000)
    assert fit.a == pytest.approx(0.6, abs=0.01)
    assert fit.b == pytest.approx(7, abs=0.05)
    assert fit.c == 1


def test_likelihood_by_hand() -> None:
    # One place, three of four: the likeliest chance is 3/4, of likelihood (3/4)^3 (1/4).
    fit = binomial_fit(np.array([0.5]), np.array([3.0]), 4)
    assert fit.log_likelihood == pytest.approx(3 * np.log(0.75) + np.log(0.25), abs=1e-3)
    assert fit.aic == pytest.approx(4 - 2 * fit.log_likelihood)


def test_without_success_it_is_flat_at_the_bottom() -> None:
    assert float(binomial_fit(X, np.zeros(400), 100)(X).max()) < 0.01


def test_an_unknown_curve_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="curve must be one of exponential, power, stretched, got cubic"):
        binomial_fit(X, X, 1, "cubic")
