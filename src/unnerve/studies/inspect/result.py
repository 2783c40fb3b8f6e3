"""What was found out about a model, and how it fits some data."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unnerve.core.data.class_names import class_called
from unnerve.core.data.ranges import ValueRange, range_text
from unnerve.core.neurons import NeuronMap
from unnerve.core.results import Result
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.inspect.verbs import Usable

__all__ = ["Inspected", "Inspection"]

_PAIRS = 5


@dataclass(frozen=True, eq=False)
class Inspected:
    """The data that a model was tried on.

    Parameters
    ----------
    name : str
    inputs : int
    value_range : (float, float)
    classes : tuple of str
        Their names; empty if it has none.
    accuracy : Accuracy
    """

    name: str
    inputs: int
    value_range: ValueRange
    classes: tuple[str, ...]
    accuracy: Accuracy

    def confused(self) -> list[tuple[str, str, int]]:
        """Return the commonest mistakes: label, answer, how often; classes by name where they have one."""
        wrong = [
            (n, label, answer) for (label, answer), n in self.accuracy.confusions.items() if label not in (answer, -1)
        ]
        wrong.sort(key=lambda one: (-one[0], one[1:]))
        return [(self._class(label), self._class(answer), n) for n, label, answer in wrong[:_PAIRS]]

    def lines(self) -> list[str]:
        """Return what to print."""
        known = "" if self.accuracy.labelled else ", without labels"
        said = [f"on {self.name}: {self.inputs:,} inputs in {range_text(self.value_range)}{known}"]
        said += [f"  {one}" for one in self.accuracy.lines()]
        pairs = ", ".join(f"{label} for {answer} ({n:,})" for label, answer, n in self.confused())
        return said + ([f"  most often taken for another: {pairs}"] if pairs else [])

    def _class(self, number: int) -> str:
        return class_called(self.classes, number)


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """What was found out about a model.

    Parameters
    ----------
    name : str
    shape : tuple of int
        Of one input.
    classes : int
    offers : tuple of str
        Capabilities.
    parameters : int or None
    neurons : NeuronMap or None
    throughput : float
        Inputs per second, forward.
    expects : (float, float) or None
        The range of the values that it expects; None for whatever the data hold.
    form : str
        What it is: ``TorchScript program``.
    verbs : tuple of Usable
        Which verbs will work.
    data : Inspected or None
        The data that it was tried on.
    """

    name: str
    shape: tuple[int, ...]
    classes: int
    offers: tuple[str, ...]
    parameters: int | None
    neurons: NeuronMap | None
    throughput: float
    expects: ValueRange | None = None
    form: str = ""
    verbs: tuple[Usable, ...] = ()
    data: Inspected | None = None

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        layers = [] if self.neurons is None else [{"name": x.name, "neurons": x.count} for x in self.neurons.layers]
        return {
            "model": self.name,
            "shape": list(self.shape),
            "range": None if self.expects is None else list(self.expects),
            "classes": self.classes,
            "capabilities": list(self.offers),
            "parameters": self.parameters,
            "neurons": None if self.neurons is None else len(self.neurons),
            "chosen_by": None if self.neurons is None else self.neurons.chosen_by,
            "layers": layers,
            "throughput": self.throughput,
            "form": self.form,
            "verbs": {one.verb: {"works": one.works, "note": one.note} for one in self.verbs},
            **({} if self.data is None else _data_figures(self.data)),
        }

    def table(self) -> pa.Table:
        """Return one row per layer: ``layer, neurons``."""
        layers = () if self.neurons is None else self.neurons.layers
        return pa.table({"layer": [one.name for one in layers], "neurons": [one.count for one in layers]})

    def headline(self) -> str:
        """Return what the model is, in one line."""
        return self.text().splitlines()[0]

    def text(self) -> str:
        """Return the same for a person."""
        shape = " x ".join(map(str, self.shape))
        values = ", values as the data hold them" if self.expects is None else f" in {range_text(self.expects)}"
        lines = [
            f"{self.name}: {shape}{values} -> {self.classes} classes{f' ({self.form})' if self.form else ''}",
            f"can be asked for: {', '.join(('answers', *self.offers))}",
            f"forward: {self.throughput:,.0f} inputs per second here",
        ]
        if self.parameters is not None:
            lines.append(f"parameters: {self.parameters:,}")
        if self.neurons is not None:
            chosen = f"chosen by {self.neurons.chosen_by}"
            lines.append(f"neurons: {len(self.neurons):,} in {len(self.neurons.layers)} layers, {chosen}")
            lines.extend(f"  {layer.name:24} {layer.count:6,}" for layer in self.neurons.layers)
        lines += [] if self.data is None else self.data.lines()
        return "\n".join([*lines, *("verbs:" for _ in self.verbs[:1]), *(f"  {one}" for one in self.verbs)])


def _data_figures(data: Inspected) -> dict[str, Any]:
    figures = {"data": data.name, "inputs": data.inputs, "data_range": list(data.value_range)}
    confused = [{"label": label, "answer": answer, "count": n} for label, answer, n in data.confused()]
    return {**figures, **data.accuracy.figures(), "class_names": list(data.classes), "confused": confused}
