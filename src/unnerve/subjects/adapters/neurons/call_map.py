"""The layer calls of one pass: which have neurons, along which axes, and which are the answer itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.subjects.adapters._layers import inner, is_compiled, leaves
from unnerve.subjects.adapters.neurons._axes import Axes, Shape, batch_axis, neuron_axis
from unnerve.subjects.adapters.neurons._hooks import first_tensor, hooked, named_layers
from unnerve.subjects.adapters.neurons.filters import SOFTMAX, counted

__all__ = ["CallMap", "call_map"]

_UNSTEADY = "calls its layers in another order from pass to pass, so that their neurons cannot be told apart"


@dataclass(frozen=True)
class CallMap:
    """The calls of the chosen layers in one pass.

    Parameters
    ----------
    calls : tuple of (str, Axes or None)
        Layer and how to read its output, in calling order; None for a call that has no neurons.
    map : NeuronMap
        One layer for each call that has neurons, then the softmax if it counts.
    softmax : bool
        Whether the probabilities count.
    compiled : bool
        Whether some part of the module was compiled.
    """

    calls: tuple[tuple[str, Axes | None], ...]
    map: NeuronMap
    softmax: bool
    compiled: bool

    @cached_property
    def names(self) -> frozenset[str]:
        """The layers that are called."""
        return frozenset(name for name, _ in self.calls)

    def check(self, names: list[str], model_name: str) -> None:
        """Raise a clear error unless these were the calls of a pass."""
        if names != [name for name, _ in self.calls]:
            raise InvalidModel(f"{model_name} {_UNSTEADY}")


def call_map(module: nn.Module, layer_filter: str, model_name: str, answer: Callable[[int], Tensor]) -> CallMap:
    """Find out by two small passes how the chosen layers are called.

    Parameters
    ----------
    module : nn.Module
    layer_filter, model_name : str
        Which layers count, see :func:`~unnerve.subjects.adapters.neurons.filters.counted`; the model, for errors.
    answer : callable
        From a number of rows to the module's answer for so many, shape (rows, C).
    """
    chosen = counted(module, layer_filter)
    # The axis that is 2 long in one pass and 3 in the other holds the inputs; one pass alone could not tell it from
    # an axis that happens to be as long.
    two, classes = _recorded(module, list(chosen), answer, 2)
    three, _ = _recorded(module, list(chosen), answer, 3)
    if [record.name for record in two] != [record.name for record in three]:
        raise InvalidModel(f"{model_name} {_UNSTEADY}")
    axes = _axes(two, three)
    first_of_answer = _first_of_the_answer(two, axes, classes)
    calls = [(index, record) for index, record in enumerate(two) if record.name in chosen]
    layers: list[Layer] = []
    seen: dict[str, int] = {}
    for index, record in calls:
        if (found := axes[index]) is not None:
            seen[record.name] = seen.get(record.name, 0) + 1
            again = "" if seen[record.name] == 1 else f"#{seen[record.name]}"
            count = record.shape[found.neurons]
            layers.append(Layer(chosen[record.name] + again, _end(layers), count, hidden=index < first_of_answer))
    softmax = SOFTMAX in chosen and SOFTMAX not in leaves(inner(module))
    if softmax:
        layers.append(Layer(chosen[SOFTMAX], _end(layers), classes, hidden=False))
    if not layers:
        names = ", ".join(chosen)
        raise InvalidModel(f"{model_name}: none of the layers that '{layer_filter}' chooses has neurons: {names}")
    read = tuple((record.name, axes[index]) for index, record in calls)
    return CallMap(read, NeuronMap(tuple(layers), layer_filter), softmax, is_compiled(module))


@dataclass(frozen=True)
class _Record:
    name: str
    layer: nn.Module
    leaf: bool
    shape: Shape
    output: Tensor = field(repr=False)
    """The output itself where its first axis is not that of the inputs, else an empty tensor of its shape."""


def _recorded(
    module: nn.Module, chosen: list[str], answer: Callable[[int], Tensor], rows: int
) -> tuple[list[_Record], int]:
    known = leaves(inner(module))
    # Every layer is recorded, not only those that count: the axes of an activation follow from the layer before it.
    layers = known | named_layers(module, chosen)
    records: list[_Record] = []

    def record(name: str, output: object, _given: object) -> None:
        tensor = first_tensor(output)
        seen = torch.empty(0) if tensor is None else tensor.detach()
        # Feature maps are large: they are kept only where their axes must be told by their values.
        kept = seen.clone() if seen.shape[:1] != (rows,) else seen.new_empty(1).expand(seen.shape)
        records.append(_Record(name, layers[name], name in known, tuple(seen.shape), kept))

    with hooked(layers, record, is_compiled(module)):
        classes = answer(rows).shape[1]
    return records, classes


def _axes(two: list[_Record], three: list[_Record]) -> list[Axes | None]:
    found: list[Axes | None] = []
    earlier: list[tuple[Shape, bool]] = []
    for one, other in zip(two, three, strict=True):
        inputs = batch_axis(one.output, other.output)
        if inputs is None:
            found.append(None)
            continue
        axis, first = neuron_axis(one.layer, one.shape, inputs[0], earlier)
        earlier.append((one.shape, first))
        found.append(Axes(inputs[0], axis, inputs[1]))
    return found


def _first_of_the_answer(calls: list[_Record], axes: list[Axes | None], classes: int) -> int:
    """Return the index of the first call that is the answer rather than hidden.

    That is the last layer with a matrix of weights, if it has one neuron for each class: it and all that follows.
    """
    weighted = [
        index
        for index, record in enumerate(calls)
        if record.leaf and any(weight.ndim >= 2 for weight in record.layer.parameters())
    ]
    last = weighted[-1] if weighted else len(calls)
    found = axes[last] if weighted else None
    return last if found is not None and calls[last].shape[found.neurons] == classes else len(calls)


def _end(layers: list[Layer]) -> int:
    return layers[-1].start + layers[-1].count if layers else 0
