"""From the graph of an exported program to a module of operations."""

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, fx, nn

from unnerve.subjects.adapters.exported._functions import DROPOUT, name_of, operation
from unnerve.subjects.adapters.exported._naming import NamedCall, named_layers
from unnerve.subjects.adapters.exported.operations import Call, Constant, Rows, Value
from unnerve.subjects.adapters.exported.program import Output, Program
from unnerve.subjects.declaration import ExpectedInput

__all__ = ["Unsupported", "converted", "trains"]

_GUARDS = "_guards_fn"
"""The submodule by which torch.export checks the shapes of inputs: we do that ourselves."""

_SHAPED = {"view", "reshape", "_unsafe_view", "expand"}
"""Operations whose second argument is a shape."""

_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
"""Operations that check no shapes: with a state for another number of inputs they would read foreign memory."""

_EVAL = {
    **dict.fromkeys(DROPOUT, (2, "train", False)),
    "batch_norm": (5, "training", False),
    "scaled_dot_product_attention": (4, "dropout_p", 0.0),
    **dict.fromkeys(_RECURRENT, (6, "train", False)),
}
"""Operations that do otherwise in training -> the argument that says so, its name, and its value in eval mode."""


class Unsupported(Exception):
    """A graph that calls what has no lasting name, such as branches that depend on values."""


def converted(
    module: fx.GraphModule, output: tuple[str, ...] | None, expected: ExpectedInput, batch: int | None = None
) -> Program:
    """Return an exported program as a module of operations, for any number of inputs, in eval mode.

    Parameters
    ----------
    module : GraphModule
        As ``ExportedProgram.module`` returns it, with one input.
    output : tuple of str, or None
        The names of the outputs where the program returns a dict.
    expected : ExpectedInput
    batch : int or None
        The number of inputs for which the program was exported, where it is fixed. Where a multiple of it is the first
        side of a shape, the number of inputs is put in its place; whether that was right is for the caller to check.
    """
    graph = _Graph(module, batch)
    returned: tuple[int, ...] = ()
    for node in module.graph.nodes:
        if node.op == "output":
            found = [graph.known[one] for one in _flat(node.args)]
            if not all(isinstance(one, Value) for one in found):
                raise Unsupported("an output does not depend on the input")
            returned = tuple(one.index for one in found)
        else:
            graph.read(node)
    steps, layers, constants = named_layers(graph.calls, graph.constants)
    return Program(steps, layers, constants, Output(returned, output), expected)


@dataclass
class _Graph:
    """What is known of a graph's nodes so far; what does not depend on the input is computed once and for all."""

    module: fx.GraphModule
    batch: int | None
    known: dict[fx.Node, Any] = field(default_factory=dict)
    constants: dict[str, Tensor] = field(default_factory=dict)
    calls: list[NamedCall] = field(default_factory=list)

    def read(self, node: fx.Node) -> None:
        if node.op == "placeholder":
            self.known[node] = Value(0)
        elif node.op == "get_attr":
            self.known[node] = self._constant(str(node.target), attrgetter(str(node.target))(self.module))
        elif node.op == "call_function":
            self._read_call(node)
        elif node.target != _GUARDS:
            raise Unsupported(f"it calls the module {node.target}")

    def _read_call(self, node: fx.Node) -> None:
        name = name_of(node.target)
        if name is None:
            raise Unsupported(f"it calls {node.target}")
        keywords = tuple((key, _argument(one, self.known)) for key, one in node.kwargs.items())
        call = _in_eval(Call(name, _argument(node.args, self.known), keywords))
        if self.batch is not None:
            if operation(name) in _RECURRENT:
                raise Unsupported(f"its {operation(name)} is exported for {self.batch} inputs")
            call = _for_any_batch(call, self.batch)
        writes = ":" not in name and name.split(".")[1].endswith("_")
        if any(isinstance(one, Value | Rows) for one in call.parts()):
            if node.users or writes:
                self.calls.append(NamedCall(node, call))
                self.known[node] = Value(len(self.calls))
        elif node.users:  # counters of training have none
            with torch.no_grad():
                self.known[node] = self._constant(node.name, call.run((), self.constants, 0))

    def _constant(self, name: str, value: Any) -> Any:
        if isinstance(value, nn.Module):
            raise Unsupported(f"it calls the module {name}")
        if isinstance(value, Tensor):
            self.constants[name] = value
            return Constant(name)
        return _argument(value, {})


def trains(module: fx.GraphModule) -> bool:
    """Say whether a program was exported in training mode, so that its answers are random or depend on company."""
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    names = ((name_of(node.target), node) for node in calls)
    as_calls = [Call(name, tuple(node.args), tuple(node.kwargs.items())) for name, node in names if name is not None]
    return any(_in_eval(call) != call for call in as_calls)


def _argument(argument: Any, known: dict[fx.Node, Any]) -> Any:
    """Return an argument of a node as one of a call."""
    if isinstance(argument, fx.Node):
        return known[argument]
    if isinstance(argument, tuple | list):
        return tuple(_argument(one, known) for one in argument)
    return argument


def _flat(arguments: Any) -> list[fx.Node]:
    """Return the nodes among the arguments of a graph's output."""
    found: list[fx.Node] = []
    fx.node.map_arg(arguments, found.append)
    return found


def _in_eval(call: Call) -> Call:
    """Return a call as in eval mode: programs can be exported in training mode too."""
    place, name, value = _EVAL.get(operation(call.function), (len(call.arguments), "", None))
    keywords = tuple((key, value if key == name else one) for key, one in call.keywords)
    if len(call.arguments) <= place:
        return Call(call.function, call.arguments, keywords)
    return Call(call.function, (*call.arguments[:place], value, *call.arguments[place + 1 :]), keywords)


def _for_any_batch(call: Call, batch: int) -> Call:
    """Return a call with the number of inputs in place of the fixed one, where that is the first side of a shape."""
    if operation(call.function) not in _SHAPED or len(call.arguments) < 2:
        return call
    source, sides, *more = call.arguments
    spread = operation(call.function) == "expand" and sides[0] == batch
    if not isinstance(sides[0], int) or sides[0] < 1 or sides[0] % batch or not (isinstance(source, Value) or spread):
        return call
    return Call(call.function, (source, (Rows(sides[0] // batch), *sides[1:]), *more), call.keywords)
