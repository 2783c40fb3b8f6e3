"""Data of which the truth is known, from real runs and from laws like theirs, and the interval each is shown with."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import norm

from unnerve.papers._ranking.ranked import _slope as slope_of
from unnerve.studies.intervals.apfd import apfd
from unnerve.studies.intervals.auc import auc
from unnerve.studies.intervals.bounded_mean import bounded_mean
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.count_ratio import count_ratio
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.jackknife import jackknife
from unnerve.studies.intervals.nested import nested
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.intervals.student import student
from unnerve.studies.intervals.waiting_time import saved_share, waiting_time

POPULATIONS = json.loads(Path(__file__).with_name("populations.json").read_text())
MOST = 100_000
REPEATS, SEEDS, INPUTS = (3, 10, 30), (3, 10, 30), (10, 30, 100)
Draw = Callable[[np.random.Generator, int], Interval]


@dataclass(frozen=True)
class Case:
    """Data of one kind, from which samples of several sizes are drawn.

    ``draw`` returns the interval of one sample; ``resampled`` returns instead the values whose mean a bootstrap would
    take, where that is what it would do. ``slow`` ones are simulated a fifth as often. ``least`` is the share that is
    to be held: less where the page says that the interval does not hold what it should.
    """

    interval: str
    data: str
    sizes: tuple[int, ...]
    truth: float
    draw: Draw
    resampled: Callable[[np.random.Generator, int], np.ndarray] | None = None
    slow: bool = False
    least: float = 0.93


def proportions() -> list[Case]:
    def case(chance: float) -> Case:
        def drawn(dice: np.random.Generator, count: int) -> Interval:
            return proportion(int(dice.binomial(count, chance)), count)

        return Case("proportion", f"a share of {chance:.3g}", INPUTS, chance, drawn)

    return [case(chance) for chance in (0.0017, 0.0176, 0.1, 0.5, 0.97)]


def waiting_times() -> list[Case]:
    def case(words: str, runs: np.ndarray) -> Case:
        def sample(dice: np.random.Generator, count: int) -> np.ndarray:
            return dice.choice(runs, count)

        return Case(
            "waiting_time", words, REPEATS, runs.mean(), lambda dice, n: waiting_time(sample(dice, n), MOST), sample
        )

    orders = {"random": "random order", "effective": "random, Eff > 0", "pd": "by `pd`", "margin": "by `margin`"}
    real = [
        case(f"F-measure of {net}, {orders[order]}", np.array(runs, dtype=float))
        for net, by_order in POPULATIONS["runs"].items()
        for order, runs in by_order.items()
    ]
    nearly_always = np.random.default_rng(0).geometric(0.95, 10_000).astype(float)
    return [*real, case("F-measure where 95 % of tries succeed", nearly_always)]


def saved_shares() -> list[Case]:
    def case(net: str, random: str, ranked: str) -> Case:
        runs = POPULATIONS["runs"][net]
        first, second = np.array(runs[random], dtype=float), np.array(runs[ranked], dtype=float)

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            rows = dice.integers(0, len(first), count)
            return saved_share(first[rows], second[rows], MOST)

        words = f"Inc of {net}, `{ranked}` against {'random' if random == 'random' else 'random, Eff > 0'}"
        return Case("saved_share", words, REPEATS, 1 - second.mean() / first.mean(), drawn)

    pairs = [("random", "pd"), ("random", "margin"), ("effective", "pd")]
    return [case(net, *pair) for net in POPULATIONS["runs"] for pair in pairs]


def found_by(method: str, figure: str) -> BoundedCounts:
    """Return what a real method found from each of 300 digits."""
    found = POPULATIONS["seeds"][method]
    if figure == "broken":
        return BoundedCounts(np.minimum(np.array(found["errors"], dtype=float), 1), 1)
    return BoundedCounts(np.array(found[figure], dtype=float), min(found["picks"], 9 if figure == "kinds" else np.inf))


def count_means() -> list[Case]:
    def case(method: str, figure: str) -> Case:
        whole = found_by(method, figure)

        def sample(dice: np.random.Generator, count: int) -> np.ndarray:
            return dice.choice(whole.counts, count)

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            return count_mean(BoundedCounts(sample(dice, count), whole.most))

        return Case("count_mean", f"{figure} per seed, `{method}`", SEEDS, whole.counts.mean(), drawn, sample)

    return [case(method, figure) for method in POPULATIONS["seeds"] for figure in ("errors", "kinds")]


def count_differences() -> list[Case]:
    def case(one: str, other: str, figure: str) -> Case:
        first, second = found_by(one, figure), found_by(other, figure)

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            rows = dice.integers(0, len(first.counts), count)
            return count_difference(*(BoundedCounts(some.counts[rows], some.most) for some in (first, second)))

        apart = first.counts - second.counts
        words = f"{figure}, `{one}` against `{other}`"
        return Case("count_difference", words, SEEDS, apart.mean(), drawn, lambda dice, n: dice.choice(apart, n))

    pairs = [("pgd", "random"), ("pgd", "class_tour"), ("fgsm", "guided"), ("guided", "gaussian")]
    return [case(*pair, figure) for pair in pairs for figure in ("broken", "kinds", "errors")]


def changed_amounts() -> list[Case]:
    """Return cases of CLEVER before and after, in [0, 5]: no whole numbers, and often the same for most inputs."""
    dice = np.random.default_rng(4)

    def case(words: str, before: np.ndarray, change: np.ndarray) -> Case:
        after = np.clip(before + change, 0, 5)

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            rows = dice.integers(0, len(before), count)
            return count_difference(*(BoundedCounts(one[rows], 5, least=0) for one in (after, before)))

        apart = after - before
        return Case("count_difference", words, INPUTS, apart.mean(), drawn, lambda dice, n: dice.choice(apart, n))

    near, far = dice.gamma(4, 0.12, 20_000), np.minimum(5, dice.gamma(4, 1.5, 20_000))
    rare = np.where(dice.random(20_000) < 0.1, np.abs(dice.normal(0.3, 0.2, 20_000)), 0)
    return [
        case("CLEVER, a tenth of the inputs changes", near, rare),
        case("CLEVER, all inputs change", near, dice.normal(0.1, 0.1, 20_000)),
        case("CLEVER, half of it at the radius", far, far * (dice.lognormal(0.2, 0.3, 20_000) - 1)),
        case("CLEVER, the few largest changes make the most", near, dice.lognormal(-3, 1.2, 20_000)),
    ]


def bounded_means() -> list[Case]:
    def case(words: str, values: np.ndarray) -> Case:
        def sample(dice: np.random.Generator, count: int) -> np.ndarray:
            return dice.choice(values, count)

        return Case(
            "bounded_mean", words, INPUTS, values.mean(), lambda dice, n: bounded_mean(sample(dice, n), 0, 1), sample
        )

    dice = np.random.default_rng(1)
    rare = np.where(dice.random(20_000) < 0.9, 0, dice.binomial(100, dice.beta(0.5, 5, 20_000)) / 100)
    return [
        case("PCS of sure answers", dice.beta(5, 0.3, 20_000)),
        case("VRO, mostly zero", dice.binomial(50, dice.beta(0.2, 4, 20_000)) / 50),
        case("Eff where nine of ten inputs have 0", rare),
        case("uniform values", dice.random(20_000)),
    ]


def areas() -> list[Case]:
    def case(words: str, suspect: Callable[..., np.ndarray], ordinary: Callable[..., np.ndarray]) -> Case:
        many = np.random.default_rng(2)
        below = np.sort(ordinary(many, 100_000))
        above = suspect(many, 100_000)
        sides = (np.searchsorted(below, above, "left"), np.searchsorted(below, above, "right"))
        truth = float(np.mean(sides)) / len(below)
        return Case("auc", words, INPUTS, truth, lambda dice, n: auc(suspect(dice, n), ordinary(dice, 100)))

    def normal(shift: float) -> Callable[..., np.ndarray]:
        return lambda dice, n: dice.normal(shift, 1, n)

    def mixed(share: float, low: float) -> Callable[..., np.ndarray]:
        return lambda dice, n: np.where(dice.random(n) < share, dice.normal(low, 1, n), dice.normal(6, 1, n))

    def ratios(one: float, other: float) -> Callable[..., np.ndarray]:
        return lambda dice, n: dice.binomial(50, dice.beta(one, other, n)) / 50

    return [
        case("AUC of normal scores, no difference", normal(0), normal(0)),
        case("AUC of normal scores, 1.8 apart", normal(1.8), normal(0)),
        case("AUC of normal scores, 4.5 apart", normal(4.5), normal(0)),
        case("AUC, a tenth looks benign", mixed(0.1, -0.5), normal(0)),
        case("AUC, a twentieth looks more than benign", mixed(0.05, -6), normal(0)),
        case("AUC of variation ratios, with ties", ratios(2, 3), ratios(0.3, 3)),
    ]


def detections() -> list[Case]:
    def case(share: float, shift: float) -> Case:
        def places(dice: np.random.Generator, count: int) -> np.ndarray:
            faults = dice.random(count) < share
            return np.asarray(faults[np.argsort(-dice.normal(shift * faults, 1))])

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            # Without faults there is no interval, which is not wrong.
            return apfd(places(dice, count)) or Interval(0.5, 0, 1)

        whole = apfd(places(np.random.default_rng(3), 200_000))
        assert whole is not None
        return Case("apfd", f"APFD, {100 * share:.0f} % faults, scores {shift} apart", (100, 1000), whole.mean, drawn)

    return [case(0.05, 2), case(0.1, 0), case(0.3, 1), case(0.02, 4)]


def students() -> list[Case]:
    def drawn(dice: np.random.Generator, count: int) -> Interval:
        return student(dice.normal(0.9, 0.05, count).tolist())

    return [Case("student", "a figure of several networks, normal", (3, 8), 0.9, drawn)]


NETWORKS = (2, 3, 5)
EACH = 50
"""Inputs on which every network is tried: few, so that both spreads matter."""


def networks(dice: np.random.Generator, count: int, share: float, apart: float, alike: float) -> list[np.ndarray]:
    """Return what breaks in several networks: they differ, and so do their inputs, which are the same for all."""
    level = norm.ppf(share) * np.sqrt(1 + apart**2 + alike**2)
    own, inputs = dice.normal(0, apart, (count, 1)), dice.normal(0, alike, EACH)
    return list((dice.random((count, EACH)) < norm.cdf(level + own + inputs)).astype(float))


def nested_shares() -> list[Case]:
    # On the probit scale LeNets trained from several seeds differ by 0.15 to 0.4; their inputs correlate by 0.3 to 0.7.
    def case(share: float, apart: float, alike: float) -> Case:
        def drawn(dice: np.random.Generator, count: int) -> Interval:
            found = networks(dice, count, share, apart, alike)
            whole = nested([count_mean(BoundedCounts(own, 1)) for own in found], 0, 1)
            assert whole is not None
            return whole

        inputs = "the same inputs" if alike else "inputs of their own"
        return Case("nested", f"a share of {share:g} of networks {apart:g} apart, {inputs}", NETWORKS, share, drawn)

    return [
        case(*one)
        for one in ((0.005, 0.3, 1.0), (0.03, 0.45, 1.0), (0.1, 0.45, 0.0), (0.1, 0.7, 1.0), (0.4, 0.45, 1.0))
    ]


def nested_kinds() -> list[Case]:
    def case(name: str, share: float, other: float) -> Case:
        def kinds(dice: np.random.Generator, found: np.ndarray) -> BoundedCounts:
            return BoundedCounts(found * np.minimum(9, dice.poisson(0.3, EACH) + 1), 9)

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            pairs = zip(networks(dice, count, share, 0.4, 1.0), networks(dice, count, other, 0.4, 1.0), strict=True)
            own = [count_difference(kinds(dice, one), kinds(dice, two)) for one, two in pairs]
            whole = nested(own, -9, 9)
            assert whole is not None
            return whole

        # The counts stop at nine, which one in a billion would pass.
        return Case("nested", f"difference of kinds, {name}", NETWORKS, (share - other) * 1.3, drawn)

    return [case("0.4 against 0.1", 0.4, 0.1), case("0.02 against none", 0.02, 1e-6)]


def nested_waiting() -> list[Case]:
    runs = np.array(POPULATIONS["runs"]["lenet5"]["random"], dtype=float)

    def drawn(dice: np.random.Generator, count: int) -> Interval:
        slow = np.exp(dice.normal(-(0.3**2) / 2, 0.3, count))
        own = [waiting_time(np.maximum(1, factor * dice.choice(runs, 10)), MOST) for factor in slow]
        whole = nested(own, 1, MOST)
        assert whole is not None
        return whole

    return [Case("nested", "F-measure of lenet5, random order, ten repeats", NETWORKS, runs.mean(), drawn)]


def fallen(dice: np.random.Generator, count: int) -> np.ndarray:
    """Return Eff of inputs in a ranking's order, of 100 tries: one in twenty ever falls, exponentially fewer behind."""
    x = np.sort(dice.random(count))
    vulnerable = dice.random(count) < 0.5 * np.exp(-10 * x)
    return dice.binomial(100, np.where(vulnerable, dice.beta(0.5, 5, count), 0)) / 100


def jackknives() -> list[Case]:
    def ahead(dice: np.random.Generator, count: int) -> Interval:
        sure = dice.normal(0, 1, (2, count))
        one, other = (noise * dice.normal(0, 1, (2, count)) for noise in (0.7, 1.3))
        suspect = sure[1] + 2

        def area(noise: np.ndarray, rows: np.ndarray) -> float:
            ordered = np.sort((sure[0] + noise[0])[rows])
            return float(np.searchsorted(ordered, (suspect + noise[1])[rows]).mean()) / len(rows)

        found = jackknife(count, lambda rows: area(one, rows) - area(other, rows), -1, 1)
        assert found is not None
        return found

    def clouds(dice: np.random.Generator, count: int) -> Interval:
        sizes, centres = dice.integers(1, 12, count), dice.beta(0.3, 3, count)
        values = [
            dice.beta(20 * mean + 1e-3, 20 * (1 - mean) + 1e-3, size) for mean, size in zip(centres, sizes, strict=True)
        ]
        found = jackknife(count, lambda rows: float(np.concatenate([values[row] for row in rows]).mean()), 0, 1)
        assert found is not None
        return found

    def slope(dice: np.random.Generator, count: int) -> Interval:
        eff = fallen(dice, count)
        found = jackknife(count, lambda rows: None if (b := slope_of(eff[rows], 100)) is None else float(np.arcsinh(b)))
        # Where nothing ever fell there is no slope, which is not wrong.
        return found or Interval(0.0, -np.inf, np.inf)

    def detected(faults: np.ndarray, scores: np.ndarray) -> float:
        places = np.flatnonzero(faults[np.argsort(-scores, kind="stable")]) + 1
        return 1 - float(places.mean()) / len(faults) + 0.5 / len(faults)

    def orders(dice: np.random.Generator, count: int, share: float) -> tuple[np.ndarray, np.ndarray]:
        faults, common = dice.random(count) < share, dice.normal(0, 1, count)
        return faults, np.stack([shift * faults + common + dice.normal(0, 0.5, count) for shift in (1.5, 1.05)])

    def earlier(faults: np.ndarray, scores: np.ndarray) -> float | None:
        return detected(faults, scores[0]) - detected(faults, scores[1]) if faults.any() else None

    def apfds(share: float) -> tuple[float, Draw]:
        def drawn(dice: np.random.Generator, count: int) -> Interval:
            faults, scores = orders(dice, count, share)
            found = jackknife(count, lambda rows: earlier(faults[rows], scores[:, rows]), -1, 1)
            return found or Interval(0.0, -1, 1)

        whole = earlier(*orders(np.random.default_rng(6), 400_000, share))
        assert whole is not None
        return whole, drawn

    areas = norm.cdf(2 / np.sqrt(2 * (1 + 0.7**2))) - norm.cdf(2 / np.sqrt(2 * (1 + 1.3**2)))
    steep = slope_of(fallen(np.random.default_rng(5), 400_000), 100)
    assert steep is not None
    steep = float(np.arcsinh(steep))
    centre = (20 * (0.3 / 3.3) + 1e-3) / (20 + 2e-3)
    return [
        Case("jackknife", "difference of two AUCs of the same seeds", (30, 100), float(areas), ahead, slow=True),
        Case("jackknife", "mean of several inputs of each seed, mostly small", INPUTS, centre, clouds, slow=True),
        Case("jackknife", "slope of Eff where one input in twenty ever falls", (200, 500), steep, slope, slow=True),
        Case("jackknife", "difference of two APFDs, one input in five vulnerable", (200, 500), *apfds(0.2), slow=True),
        Case("jackknife", "difference of two APFDs, one in fifty", (200, 500), *apfds(0.02), slow=True),
    ]


def count_ratios() -> list[Case]:
    def case(one: str, other: str) -> Case:
        first, second = found_by(one, "errors"), found_by(other, "errors")

        def drawn(dice: np.random.Generator, count: int) -> Interval:
            rows = dice.integers(0, len(first.counts), count)
            found = count_ratio(*(BoundedCounts(some.counts[rows], some.most) for some in (first, second)))
            # Where neither found anything there is no interval, which is not wrong.
            return found or Interval(1.0, 0.0, np.inf)

        truth = first.counts.mean() / second.counts.mean()
        return Case("count_ratio", f"errors, `{one}` over `{other}`", (10, 30, 100), float(truth), drawn)

    return [case("pgd", "fgsm"), case("guided", "pgd"), case("pgd", "class_tour"), case("gaussian", "guided")]


CASES = [
    case
    for some in (proportions, waiting_times, saved_shares, count_means, count_differences, changed_amounts)
    for case in some()
]
CASES += [*bounded_means(), *areas(), *detections(), *students()]
CASES += [*nested_shares(), *nested_kinds(), *nested_waiting(), *jackknives(), *count_ratios()]
