"""What the DeepSensor papers claim of their settings and of the optimiser, beside what the experiments found."""

from itertools import pairwise

from unnerve.papers._rules import Rule, tallied
from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.sweeps import Sweep
from unnerve.studies.reproduction import Claim

__all__ = ["EPSILON", "LAMBDA", "optimiser_claim", "rise_claim", "start_claim"]

_RISES = (
    "held if errors never fall by more than a tenth from one value to the next with either kind of neurons, partly if "
    "with one of them; one training seed"
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
    "held if more with both kinds of neurons, partly if with one; one training seed",
)
_OPTIMISER = Rule(
    "Errors do not depend on the optimiser",
    "test errors found are not sensitive to optimization solutions",
    "excitable neurons, 7",
    "held if the fewest are more than 0.8 of the most with both kinds of neurons, partly if with one; that they differ "
    "decides nothing while the searches do not start alike",
)


def rise_claim(rule: Rule, paper: str, sweep: Sweep) -> Claim:
    """Return whether errors rise along a setting's values."""
    told, rises = [], []
    for name, steps in sweep.items():
        errors = [step.found.errors_as_in_paper for step in steps]
        told.append(f"{name}: " + ", ".join(f"{step.value}: {step.found.errors_as_in_paper:,}" for step in steps))
        # A tenth less than before still counts as staying, as the figures of a swarm are not exact.
        rises.append(all(later >= 0.9 * earlier for earlier, later in pairwise(errors)))
    return rule.decided(tallied(rises, partly=0.25), paper, "errors by value. " + "; ".join(told))


def start_claim(sweep: Sweep) -> Claim:
    """Return whether a random start finds more errors than a fixed one."""
    found = {name: {step.value: step.found.errors_as_in_paper for step in steps} for name, steps in sweep.items()}
    return _START.decided(
        tallied((by["random"] > by["fixed"] for by in found.values()), partly=0.25),
        "on both networks",
        "; ".join(
            f"{name}: " + ", ".join(f"{value} {count:,}" for value, count in by.items()) + " errors"
            for name, by in found.items()
        ),
    )


def optimiser_claim(result: Optimisers) -> Claim:
    """Return whether all searches find about as many errors."""
    spans = {}
    for objective in ("sensitive", "excitable"):
        counts = [found.errors_as_in_paper for name, found in result.rows.items() if name.endswith(objective)]
        spans[objective] = (min(counts), max(counts))
    return _OPTIMISER.decided(
        # Only PSO starts at the region's edge: a difference may be the start's.
        tallied((True if low > 0.8 * high else None for low, high in spans.values()), partly=0.25),
        "PSO replaced by others, similar results",
        "; ".join(
            f"{name} neurons: {low:,} to {high:,} errors over four searches" for name, (low, high) in spans.items()
        ),
    )
