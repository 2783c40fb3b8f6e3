"""What a set of inputs covers, and what further inputs add: figures, JSON, text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unnerve.core.data.provenance import Provenance
from unnerve.core.methods import Coverage, Covered
from unnerve.core.naming.catalogue import describe
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy

__all__ = ["Addition", "Cover"]


@dataclass(frozen=True, eq=False)
class Addition:
    """What further inputs add.

    Parameters
    ----------
    data : str
        Where they come from.
    inputs : int
        How many there are.
    states : dict of str to Covered
        What the data and they cover together, by criterion.
    """

    data: str
    inputs: int
    states: Mapping[str, Covered]


@dataclass(frozen=True, eq=False, repr=False)
class Cover(Result):
    """What a set of inputs covers.

    Parameters
    ----------
    model, data : str
        Their names.
    inputs : int
        How many inputs.
    neurons : NeuronMap
        What was counted.
    profile : Profile or None
        How far neurons go on training data.
    criteria : dict of str to Coverage
    states : dict of str to Covered
        By criterion; they can be updated and joined further.
    additions : tuple of Addition
    seconds : float
        Time of the passes.
    left_out : tuple of str
        Criteria that would have needed a profile.
    accuracy : Accuracy
        On the inputs.
    provenance : Provenance or None
        How it came about.

    Examples
    --------
    >>> import unnerve
    >>> covered = unnerve.cover("zoo:lenet5", "mnist5k", criteria="nc:0.5", also="runs/hunt")
    >>> covered.summary()["criteria"]
    """

    model: str
    data: str
    inputs: int
    neurons: NeuronMap
    profile: Profile | None
    criteria: Mapping[str, Coverage]
    states: Mapping[str, Covered]
    additions: tuple[Addition, ...]
    seconds: float
    accuracy: Accuracy
    left_out: tuple[str, ...] = ()
    provenance: Provenance | None = None

    @property
    def values(self) -> dict[str, float]:
        """Coverage by criterion: a share in [0, 1], or a number where nobody knows the total (tknp)."""
        return _values(self.states)

    def gain(self, addition: Addition) -> dict[str, float]:
        """Return what further inputs add, by criterion."""
        return {key: value - self.values[key] for key, value in _values(addition.states).items()}

    def summary(self) -> dict[str, Any]:
        """Return the stable figures, as JSON."""
        return {
            **self.values,
            "neurons": len(self.neurons),
            "filter": self.neurons.chosen_by,
            "model": self.model,
            "data": self.data,
            "inputs": self.inputs,
            **self.accuracy.figures(),
            "profile_inputs": None if self.profile is None else self.profile.inputs,
            "criteria": {
                key: {
                    **describe(self.criteria[key]),
                    "covered": state.covered,
                    "total": state.total,
                    "layers": state.shares(),
                }
                for key, state in self.states.items()
            },
            "also": [
                {"data": one.data, "inputs": one.inputs, "with": _values(one.states), "gain": self.gain(one)}
                for one in self.additions
            ],
            "left_out": sorted(self.left_out),
            "seconds": self.seconds,
        }

    def table(self) -> pa.Table:
        """Return one row per set of inputs and criterion: ``inputs, criterion, value, covered, total``."""
        sets = [(self.data, self.states), *((f"with {one.data}", one.states) for one in self.additions)]
        return pa.Table.from_pylist(
            [
                {"inputs": name, "criterion": key, "value": state.value, "covered": state.covered, "total": state.total}
                for name, states in sets
                for key, state in states.items()
            ]
        )

    def headline(self) -> str:
        """Return what is covered, in one line."""
        said = ", ".join(f"{key} {_number(state)}" for key, state in self.states.items())
        return f"{self.model} on {self.inputs:,} inputs of {self.data}: {said}"

    def text(self) -> str:
        """Return the same for a person."""
        shown = f"{self.model} on {self.data}: {self.inputs:,} inputs, {len(self.neurons):,} neurons"
        lines = [f"{shown} ({self.neurons.chosen_by})", *self.accuracy.lines()]
        if self.profile is not None:
            lines.append(f"ranges of the neurons from {self.profile.inputs:,} inputs")
        lines.append(f"{'criterion':24} {'coverage':>9} {'covered':>12} {'of':>12}")
        for key, state in self.states.items():
            lines.append(f"{key:24} {_number(state):>9} {state.covered:12,} {_total(state):>12}")
        if self.left_out:
            lines.append(
                f"left out: {', '.join(sorted(self.left_out))}, which compare with training data; --profile DATA"
            )
        for one in self.additions:
            if not one.inputs:
                lines.append(f"Nothing was found by {one.data}.")
                continue
            noun = "input" if one.inputs == 1 else "inputs"
            lines.append(f"with {one.inputs:,} {noun} of {one.data}")
            for key, state in one.states.items():
                lines.append(f"{key:24} {_number(state):>9} {state.covered - self.states[key].covered:+12,} more")
        return "\n".join(lines)


def _values(states: Mapping[str, Covered]) -> dict[str, float]:
    # As an integer where there is no total: gates tell counts from shares by that, and refuse per cent of a count.
    return {key: state.covered if state.total is None else state.value for key, state in states.items()}


def _number(state: Covered) -> str:
    return f"{state.covered:,}" if state.total is None else f"{100 * state.value:.2f} %"


def _total(state: Covered) -> str:
    return "patterns" if state.total is None else f"{state.total:,}"
