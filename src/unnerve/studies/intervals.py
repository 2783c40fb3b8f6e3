"""95 % intervals: Wilson for shares, bootstrap for means and for what is made of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

__all__ = ["Interval", "bootstrap", "student", "wilson"]

_DRAWS = 2000
_AT_ONCE = 2**22
_Z = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95 % interval.

    Parameters
    ----------
    mean : float
    low, high : float
    """

    mean: float
    low: float
    high: float

    @property
    def ci95(self) -> tuple[float, float]:
        """The interval's ends."""
        return self.low, self.high


def bootstrap(statistic: Callable[[np.ndarray], np.ndarray], samples: np.ndarray, seed: int) -> Interval:
    """Percentile bootstrap over the rows of ``samples``.

    Parameters
    ----------
    statistic : callable
        From resampled rows, shape (B, R, ...), to B numbers; B resamples are passed at once, some at a time.
    samples : array of shape (R, ...)
        One row per repeat, seed or input.
    seed : int
        Decides the resamples.

    Returns
    -------
    Interval
        The statistic of the sample itself, and its 2.5 % and 97.5 % percentiles over 2,000 resamples.
    """
    draws = np.random.Generator(np.random.Philox(key=seed))
    # In blocks, so that memory does not grow with the square of the work; the numbers drawn are the same.
    block = min(_DRAWS, max(1, _AT_ONCE // len(samples)))
    sizes = [min(block, _DRAWS - start) for start in range(0, _DRAWS, block)]
    spread = np.concatenate(
        [statistic(samples[draws.integers(0, len(samples), (size, len(samples)))]) for size in sizes]
    )
    low, high = np.nanpercentile(spread, [2.5, 97.5])
    return Interval(float(statistic(samples[None])[0]), float(low), float(high))


def wilson(successes: int, count: int) -> Interval:
    """Wilson's score interval for a share.

    Parameters
    ----------
    successes, count : int
        0 <= successes <= count, count >= 1.

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    share = successes / count
    middle = (share + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    reach = _Z / (1 + _Z**2 / count) * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    return Interval(share, low, 1.0 if successes == count else min(1.0, middle + reach))


def student(values: Sequence[float]) -> Interval:
    """Student's interval for a mean of few independent values; the value itself twice if there is only one."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, mean, mean)
    reach = float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values)))
    return Interval(mean, mean - reach, mean + reach)
