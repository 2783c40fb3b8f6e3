"""An exported program as a module: its operations are layers, called one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.exported.operations import Call, Operation
from unnerve.subjects.declaration import ExpectedInput

__all__ = ["FixedBatch", "Output", "Program", "Step"]


@dataclass(frozen=True)
class Step:
    """One call of a program.

    Parameters
    ----------
    call : Call or str
        A call, or the name of the layer that is called.
    inputs : tuple of int
        Numbers of the values that the layer is given; 0 is the program's input.
    """

    call: Call | str
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Output:
    """What a program returns.

    Parameters
    ----------
    values : tuple of int
        Numbers of values.
    names : tuple of str, or None
        Their names where it returns a dict.
    """

    values: tuple[int, ...]
    names: tuple[str, ...] | None = None

    def of(self, values: Sequence[Any]) -> Any:
        """Return the output, given all values."""
        chosen = tuple(values[index] for index in self.values)
        if self.names is not None:
            return dict(zip(self.names, chosen, strict=True))
        return chosen[0] if len(chosen) == 1 else chosen


class Program(nn.Module):
    """Calls operations in their order; step i makes value i + 1.

    Parameters
    ----------
    steps : sequence of Step
    layers : dict of str to Operation
        By their names, as the module's from which the program was made.
    constants : dict of str to Tensor
        Used by calls that are no layers.
    output : Output
    expected : ExpectedInput
    """

    def __init__(
        self,
        steps: Sequence[Step],
        layers: Mapping[str, Operation],
        constants: Mapping[str, Tensor],
        output: Output,
        expected: ExpectedInput,
    ) -> None:
        super().__init__()
        self.steps, self.output, self.expected = tuple(steps), output, expected
        self._layers = dict(layers)
        for name, layer in layers.items():
            _placed(self, name, layer)
        for name, tensor in constants.items():
            self.register_buffer(name, tensor)
        self._names = tuple(constants)
        self._last_uses = _last_uses(self.steps, output)

    def forward(self, x: Tensor) -> Any:
        """Run the program; what no later step needs is freed."""
        self.expected.check(tuple(x.shape[1:]))
        values: list[Any] = [x]
        layers = self._layers
        constants = {name: getattr(self, name) for name in self._names}
        for step, done in zip(self.steps, self._last_uses, strict=True):
            if isinstance(step.call, str):
                values.append(layers[step.call](*(values[index] for index in step.inputs)))
            else:
                values.append(step.call.run(values, constants, x.shape[0]))
            for index in done:
                values[index] = None
        return self.output.of(values)

    def extra_repr(self) -> str:
        """Return which step is given what: a model is hashed by it, and layers may be wired in more than one way."""
        return f"{self.steps!r}, {self.output!r}"


class FixedBatch(nn.Module):
    """A program that takes a fixed number of inputs, run as often as needed; the last time with padding.

    Parameters
    ----------
    program : nn.Module
    rows : int
    expected : ExpectedInput
    """

    runs_in_parts = True

    def __init__(self, program: nn.Module, rows: int, expected: ExpectedInput) -> None:
        super().__init__()
        self.program, self.rows, self.expected = program, rows, expected

    def forward(self, x: Tensor) -> Any:
        """Run the program on one part after the other and join the outputs."""
        self.expected.check(tuple(x.shape[1:]))
        # Plain memory, for the program was tried with no other: some calls accept only some layouts.
        parts = [padded(part, self.rows).clone(memory_format=torch.contiguous_format) for part in x.split(self.rows)]
        return joined([self.program(part) for part in parts], len(x))

    def extra_repr(self) -> str:
        """Return the number of rows: with another one a program may round otherwise."""
        return f"rows={self.rows}"


def joined(outputs: Sequence[Any], rows: int) -> Any:
    """Return outputs one after the other as one, of so many rows; dicts and tuples part by part."""
    first = outputs[0]
    if isinstance(first, Tensor):
        return torch.cat(list(outputs))[:rows] if first.ndim else first
    if isinstance(first, Mapping):
        return {name: joined([one[name] for one in outputs], rows) for name in first}
    if isinstance(first, tuple | list):
        return tuple(joined(column, rows) for column in zip(*outputs, strict=True))
    return first


def _placed(root: nn.Module, name: str, layer: nn.Module) -> None:
    """Put a layer below a module, with plain modules between them as its dotted name says."""
    *path, own = name.split(".")
    for part in path:
        if part not in root._modules:
            root.add_module(part, nn.Module())
        root = root.get_submodule(part)
    root.add_module(own, layer)


def _last_uses(steps: Sequence[Step], output: Output) -> tuple[tuple[int, ...], ...]:
    """Return for each step the values that nothing after it uses."""
    last: dict[int, int] = {}
    for number, step in enumerate(steps):
        used = step.inputs if isinstance(step.call, str) else step.call.values()
        last |= dict.fromkeys(used, number)
    for index in output.values:
        last.pop(index, None)
    return tuple(tuple(index for index, when in last.items() if when == number) for number in range(len(steps)))
