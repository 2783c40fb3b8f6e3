"""What a module calls in one pass: which calls are neurons, how to read them, and which are the answer itself."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.subjects.adapters._axes import Axes, Shape, batch_axis, neuron_axis
from unnerve.subjects.adapters._filters import COMPILED, SOFTMAX, counted, inner, leaves

__all__ = ["Wiring", "first_tensor", "hooked", "parts", "wired"]

UNSTEADY = "calls its layers in another order from pass to pass, so that their neurons cannot be told apart"

Hook = Callable[[str, object, object], object]
"""(layer, its output, its first input) -> what shall take the output's place, or None."""


@dataclass(frozen=True)
class Wiring:
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

    def check(self, names: list[str], who: str) -> None:
        """Raise a clear error unless these were the calls of a pass."""
        if names != [name for name, _ in self.calls]:
            raise InvalidModel(f"{who} {UNSTEADY}")


def wired(module: nn.Module, chooser: str, who: str, answer: Callable[[int], Tensor]) -> Wiring:
    """Find out by two small passes how the chosen layers are called.

    Parameters
    ----------
    module : nn.Module
    chooser, who : str
        The filter; the model's name, for errors.
    answer : callable
        From a number of rows to the module's answer for so many, shape (rows, C).
    """
    chosen = counted(module, chooser)
    two, classes = _recorded(module, list(chosen), answer, 2)
    three, _ = _recorded(module, list(chosen), answer, 3)
    if [record.name for record in two] != [record.name for record in three]:
        raise InvalidModel(f"{who} {UNSTEADY}")
    axes = _axes(two, three)
    answering = _first_of_the_answer(two, axes, classes)
    calls = [(place, record) for place, record in enumerate(two) if record.name in chosen]
    layers: list[Layer] = []
    seen: dict[str, int] = {}
    for place, record in calls:
        if (found := axes[place]) is not None:
            seen[record.name] = seen.get(record.name, 0) + 1
            again = "" if seen[record.name] == 1 else f"#{seen[record.name]}"
            count = record.shape[found.neurons]
            layers.append(Layer(chosen[record.name] + again, _end(layers), count, hidden=place < answering))
    softmax = SOFTMAX in chosen and SOFTMAX not in leaves(inner(module))
    if softmax:
        layers.append(Layer(chosen[SOFTMAX], _end(layers), classes, hidden=False))
    if not layers:
        raise InvalidModel(f"{who}: none of the layers that '{chooser}' chooses has neurons: {', '.join(chosen)}")
    read = tuple((record.name, axes[place]) for place, record in calls)
    return Wiring(read, NeuronMap(tuple(layers), chooser), softmax, _compiled(module))


def parts(module: nn.Module, names: Collection[str]) -> dict[str, nn.Module]:
    """Return the named layers or blocks of a module."""
    return {name: part for name, part in inner(module).named_modules() if name in names}


@contextmanager
def hooked(layers: Mapping[str, nn.Module], hook: Hook, compiled: bool) -> Iterator[None]:
    """Call ``hook`` after every call of these layers, while the context lasts."""

    def attached(name: str, layer: nn.Module) -> torch.utils.hooks.RemovableHandle:
        return layer.register_forward_hook(lambda _, inputs, output: hook(name, output, inputs[0] if inputs else None))

    handles = [attached(name, layer) for name, layer in layers.items()]
    try:
        # A compiled module calls none of its layers, so it is run as it was written.
        with torch.compiler.set_stance("force_eager") if compiled else nullcontext():
            yield
    finally:
        for handle in handles:
            handle.remove()


def first_tensor(output: object) -> Tensor | None:
    """Return a layer's output, or the first part of one that returns several; None if that is no tensor of numbers."""
    while isinstance(output, tuple | list) and output:
        output = output[0]
    return output if isinstance(output, Tensor) and output.is_floating_point() else None


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
    layers = known | parts(module, chosen)
    records: list[_Record] = []

    def note(name: str, output: object, _given: object) -> None:
        tensor = first_tensor(output)
        seen = torch.empty(0) if tensor is None else tensor.detach()
        # Feature maps are large: they are kept only where their axes must be told by their values.
        kept = seen.clone() if seen.shape[:1] != (rows,) else seen.new_empty(1).expand(seen.shape)
        records.append(_Record(name, layers[name], name in known, tuple(seen.shape), kept))

    with hooked(layers, note, _compiled(module)):
        classes = answer(rows).shape[1]
    return records, classes


def _axes(two: list[_Record], three: list[_Record]) -> list[Axes | None]:
    found: list[Axes | None] = []
    earlier: list[tuple[Shape, bool]] = []
    for one, other in zip(two, three, strict=True):
        place = batch_axis(one.output, other.output)
        if place is None:
            found.append(None)
            continue
        axis, first = neuron_axis(one.layer, one.shape, place[0], earlier)
        earlier.append((one.shape, first))
        found.append(Axes(place[0], axis, place[1]))
    return found


def _first_of_the_answer(calls: list[_Record], axes: list[Axes | None], classes: int) -> int:
    """Return the place of the first call that is the answer rather than hidden.

    That is the last layer with a matrix of weights, if it has one neuron for each class: it and all that follows.
    """
    weighted = [
        place
        for place, record in enumerate(calls)
        if record.leaf and any(weight.ndim >= 2 for weight in record.layer.parameters())
    ]
    last = weighted[-1] if weighted else len(calls)
    found = axes[last] if weighted else None
    return last if found is not None and calls[last].shape[found.neurons] == classes else len(calls)


def _compiled(module: nn.Module) -> bool:
    return any(hasattr(part, COMPILED) for part in module.modules())


def _end(layers: list[Layer]) -> int:
    return layers[-1].start + layers[-1].count if layers else 0
