"""Falling curves fitted to shares of tries by the likelihood of a binomial, and compared by Akaike's criterion."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from unnerve.core.errors import InvalidSetting

__all__ = ["CURVES", "BinomialFit", "binomial_fit"]

CURVES = ("exponential", "power", "stretched")
_EDGE = 1e-9  # of a share: the likelihood of what a curve calls impossible would be zero


@dataclass(frozen=True)
class BinomialFit:
    r"""A curve of the chance of success over x.

    Parameters
    ----------
    curve : str
        ``exponential`` :math:`a e^{-bx}`, ``power`` :math:`a x^{-b}`, ``stretched`` :math:`a e^{-b x^c}`.
    a, b, c : float
        c is 1 except of ``stretched``.
    log_likelihood : float
        Without the binomial coefficients, which no curve changes.
    """

    curve: str
    a: float
    b: float
    c: float
    log_likelihood: float

    @property
    def aic(self) -> float:
        """Akaike's criterion: the smaller, the better the curve for its number of parameters."""
        return 2 * (3 if self.curve == "stretched" else 2) - 2 * self.log_likelihood

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the curve's height at ``x``, within (0, 1)."""
        return _heights(self.curve, np.array([math.log(self.a), self.b, math.log(self.c)]), x)


def binomial_fit(x: np.ndarray, successes: np.ndarray, tries: int, curve: str = "exponential") -> BinomialFit:
    """Fit a curve by maximum likelihood: no bins, no logarithms of zero, and inputs that never fall count.

    Parameters
    ----------
    x : array of shape (N,)
        In (0, 1).
    successes : array of shape (N,)
        Of so many ``tries`` at each x.
    tries : int
    curve : str
        One of ``CURVES``.

    Returns
    -------
    BinomialFit
        Without any success a flat curve at the smallest height.

    References
    ----------
    McCullagh and Nelder, "Generalized Linear Models", 1989, Chapter 4; Akaike, "A new look at the statistical model
    identification", 1974.
    """
    if curve not in CURVES:
        raise InvalidSetting(f"curve must be one of {', '.join(CURVES)}, got {curve}")
    share = float(successes.mean()) / tries

    def against(parameters: np.ndarray) -> float:
        chance = _heights(curve, parameters, x)
        return -float((successes * np.log(chance) + (tries - successes) * np.log1p(-chance)).sum())

    # Two starts: gently and steeply falling. The surface is smooth, but nearly flat far from the data.
    first = math.log(max(share, _EDGE))
    starts = [[first, 0.2, 0.0], [math.log(0.5), 10.0 if curve != "power" else 1.0, 0.0]]
    free = 3 if curve == "stretched" else 2
    found = min((_descended(against, start, free) for start in starts), key=lambda one: one[1])
    a, b, c = found[0]
    return BinomialFit(curve, math.exp(a), float(b), math.exp(c), -found[1])


def _descended(against: Callable[[np.ndarray], float], start: list[float], free: int) -> tuple[np.ndarray, float]:
    def padded(some: np.ndarray) -> np.ndarray:
        return np.concatenate([some, start[free:]])

    done = minimize(
        lambda some: against(padded(some)),
        start[:free],
        method="Nelder-Mead",
        options={"maxiter": 1000, "xatol": 1e-4, "fatol": 1e-4},
    )
    return padded(done.x), float(done.fun)


def _heights(curve: str, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
    height, fall, bend = parameters
    with np.errstate(over="ignore"):
        bent = np.log(x) if curve == "power" else x ** np.exp(np.clip(bend, -5, 5))
        # The search may look anywhere, and some of its guesses would overflow, or promise chances above one.
        raised: np.ndarray = np.exp(np.clip(height - fall * bent, -50, 0)).clip(_EDGE, 1 - _EDGE)
    return raised
