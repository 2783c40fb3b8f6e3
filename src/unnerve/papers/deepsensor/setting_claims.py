"""What the DeepSensor papers claim of their settings and of the optimiser, beside what the experiments found."""

from itertools import pairwise

import numpy as np

from unnerve.papers._rules import Rule, above, tallied
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.sweeps import Sweep
from unnerve.papers.deepsensor.found import Found
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.count_ratio import count_ratio
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim

__all__ = ["EPSILON", "LAMBDA", "RULES", "optimiser_claim", "rise_claim", "start_claim"]

_RISES = (
    "held if errors never fall by a tenth or more from one value to the next with either kind of neurons, partly if "
    "with one of them; a step is open if the interval over seeds of the ratio of the two holds 0.9; one training seed"
)
LAMBDA = Rule(
    "Errors rise with lambda and then stay",
    "the number of test errors found by DeepSensor gradually increases and then remains stable after 0.6",
    "excitable neurons, 6.5.1; sensitive neurons, IV-E",
    _RISES,
)
EPSILON = Rule(
    "Errors rise with epsilon",
    "the number of test errors found by DeepSensor increases with the increase of the percentage",
    "excitable neurons, 6.5.2; sensitive neurons, IV-E",
    _RISES,
)
_START = Rule(
    "A random start finds more errors than a fixed one",
    "test errors of random strategy outperforms that of fixed one on two models",
    "excitable neurons, 6.5.3; sensitive neurons, IV-F",
    "held if more with both kinds of neurons, partly if with one; a kind is open if the interval over seeds of the "
    "difference holds 0; one training seed",
)
_OPTIMISER = Rule(
    "Errors do not depend on the optimiser",
    "test errors found are not sensitive to optimization solutions",
    "excitable neurons, 7",
    "PSO, genetic algorithm, differential evolution and ant colony of equal size from equal starts: held if the fewest "
    "are more than 0.8 of the most with both kinds of neurons, partly if with one; a kind is open if the interval over "
    "seeds of their ratio holds 0.8; one training seed",
)
RULES = (LAMBDA, EPSILON, _START, _OPTIMISER)
_SEARCHES = ("PSO", "genetic", "differential evolution", "ant colony")


def rise_claim(rule: Rule, paper: str, sweep: Sweep) -> Claim:
    """Return whether errors rise along a setting's values."""
    told, rises = [], []
    for name, steps in sweep.items():
        told.append(f"{name}: " + ", ".join(f"{step.value}: {step.found.errors_as_in_paper:,}" for step in steps))
        # A tenth less than before still counts as staying, as the figures of a swarm are not exact.
        cases = [above(_ratio(later.found, earlier.found), 0.9) for earlier, later in pairwise(steps)]
        rises.append(False if False in cases else None if None in cases else True)
    return rule.decided(tallied(rises, partly=0.25), paper, "errors by value. " + "; ".join(told))


def start_claim(sweep: Sweep) -> Claim:
    """Return whether a random start finds more errors than a fixed one."""
    found = {name: {step.value: step.found for step in steps} for name, steps in sweep.items()}
    return _START.decided(
        tallied((above(_difference(by["random"], by["fixed"]), 0) for by in found.values()), partly=0.25),
        "on both networks",
        "; ".join(
            f"{name}: " + ", ".join(f"{value} {one.errors_as_in_paper:,}" for value, one in by.items()) + " errors"
            for name, by in found.items()
        ),
    )


def optimiser_claim(result: Optimisers) -> Claim:
    """Return whether all searches find about as many errors."""
    told, outcomes = [], []
    for objective in ("sensitive", "excitable"):
        rows = {search: result.rows[f"{search}, {objective}"] for search in _SEARCHES}
        few, most = (pick(rows.values(), key=lambda one: one.errors_as_in_paper) for pick in (min, max))
        ratio = _ratio(few, most)
        outcomes.append(above(ratio, 0.8))
        counts = ", ".join(f"{search} {one.errors_as_in_paper:,}" for search, one in rows.items())
        around = "" if ratio is None else f" (fewest / most {ratio.mean:.2f}, {ratio.low:.2f} to {ratio.high:.2f})"
        told.append(f"{objective} neurons: {counts}{around}")
    return _OPTIMISER.decided(
        tallied(outcomes, partly=0.25), "PSO replaced by others, similar results", "; ".join(told)
    )


def _ratio(first: Found, second: Found) -> Interval | None:
    """Return failing picks of one over those of another, with the interval over seeds; None if neither has any."""
    return count_ratio(*_counts(first, second))


def _difference(first: Found, second: Found) -> Interval:
    return count_difference(*_counts(first, second))


def _counts(first: Found, second: Found) -> list[BoundedCounts]:
    # What is possible, as far as the stored rows tell: the most failing picks that any seed of either has.
    most = float(max(1, *first.failing, *second.failing))
    return [BoundedCounts(np.array(one.failing), most) for one in (first, second)]
