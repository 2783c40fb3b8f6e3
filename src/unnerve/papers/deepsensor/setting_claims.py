"""What the DeepSensor papers claim of their settings and of the optimiser, beside what the experiments found."""

from itertools import pairwise

from unnerve.papers.deepsensor.experiments.optimisers import Optimisers
from unnerve.papers.deepsensor.experiments.sweeps import Sweep
from unnerve.studies.reproduction import Claim

__all__ = ["optimiser_claim", "rise_claim", "start_claim"]


def rise_claim(claim: str, paper: str, sweep: Sweep) -> Claim:
    """Return whether errors rise along a setting's values."""
    told, held = [], True
    for name, steps in sweep.items():
        errors = [step.found.errors_as_in_paper for step in steps]
        told.append(f"{name}: " + ", ".join(f"{step.value}: {step.found.errors_as_in_paper:,}" for step in steps))
        # A tenth less than before still counts as staying, as the figures of a swarm are not exact.
        held &= all(later >= 0.9 * earlier for earlier, later in pairwise(errors))
    return Claim(claim, paper, "errors by value. " + "; ".join(told), None, held)


def start_claim(sweep: Sweep) -> Claim:
    """Return whether a random start finds more errors than a fixed one."""
    found = {name: {step.value: step.found.errors_as_in_paper for step in steps} for name, steps in sweep.items()}
    return Claim(
        "A random start finds more errors than a fixed one",
        "on both networks",
        "; ".join(
            f"{name}: " + ", ".join(f"{value} {count:,}" for value, count in by.items()) + " errors"
            for name, by in found.items()
        ),
        None,
        all(by["random"] > by["fixed"] for by in found.values()),
    )


def optimiser_claim(result: Optimisers) -> Claim:
    """Return whether all searches find about as many errors."""
    spans = {}
    for objective in ("sensitive", "excitable"):
        counts = [found.errors_as_in_paper for name, found in result.rows.items() if name.endswith(objective)]
        spans[objective] = (min(counts), max(counts))
    return Claim(
        "Errors do not depend on the optimiser",
        "PSO replaced by others, similar results",
        "; ".join(
            f"{name} neurons: {low:,} to {high:,} errors over four searches" for name, (low, high) in spans.items()
        ),
        None,
        all(low > 0.8 * high for low, high in spans.values()),
    )
