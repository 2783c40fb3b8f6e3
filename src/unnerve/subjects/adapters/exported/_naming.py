"""What the operations of a graph are called: as the layers that made them, else as the graph calls them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor, fx

from unnerve.subjects.adapters.exported._functions import is_plain
from unnerve.subjects.adapters.exported.operations import Call, Constant, Operation, Value
from unnerve.subjects.adapters.exported.program import Step

__all__ = ["NamedCall", "named_layers"]


@dataclass(frozen=True)
class NamedCall:
    """A call of a graph, and the node that it comes from."""

    node: fx.Node
    call: Call

    @property
    def is_layer(self) -> bool:
        """Whether it makes numbers out of others, which can be neurons."""
        made = self.node.meta.get("val")
        made = made[0] if isinstance(made, tuple | list) and made else made
        given = [one.meta.get("val") for one in self.node.all_input_nodes if one.op != "get_attr"]
        real = isinstance(made, Tensor) and made.is_floating_point() and any(isinstance(one, Tensor) for one in given)
        return real and not is_plain(self.call.function)

    @property
    def owner(self) -> tuple[str, str]:
        """The name and the class of the layer that made the call; empty for the whole module."""
        stack = list((self.node.meta.get("nn_module_stack") or {}).values())
        if not stack:
            return "", ""
        path, kind = stack[-1]
        return path.partition("@")[0], kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"

    @property
    def relative(self) -> Call:
        """The call with its values numbered from 0, in their order."""
        order = {index: place for place, index in enumerate(self.call.values())}
        return self.call.mapped(lambda one: Value(order[one.index]) if isinstance(one, Value) else one)


def named_layers(
    calls: Sequence[NamedCall], constants: Mapping[str, Tensor]
) -> tuple[list[Step], dict[str, Operation], dict[str, Tensor]]:
    """Return the steps of a program, its layers by name, and the constants of calls that are no layers.

    A layer of torch that makes one operation, however often, keeps its name: ``conv1``. Other operations are called
    as their node in the graph, below the module they belong to: ``block.add_1``.
    """
    groups: dict[str, list[NamedCall]] = {}
    for one in calls:
        if one.is_layer:
            groups.setdefault(one.owner[0], []).append(one)
    steps: list[Step] = []
    layers: dict[str, Operation] = {}
    others: dict[str, Tensor] = {}
    for one in calls:
        if not one.is_layer:
            renamed = {name: name.replace(".", "_") for name in _constants(one.call)}
            others |= {short: constants[name] for name, short in renamed.items()}
            steps.append(Step(_renamed(one.call, renamed)))
            continue
        path, kind = one.owner
        # Compared by their values' order, not their numbers: a layer that is called twice makes the same call both
        # times.
        whole = bool(path) and kind.startswith("torch.nn.") and len({each.relative for each in groups[path]}) == 1
        name = path if whole else _free(f"{path}.{one.node.name}".removeprefix("."), layers, groups)
        if name not in layers:
            layers[name] = _operation(one.relative, constants, kind if whole else "")
        steps.append(Step(name, one.call.values()))
    return steps, layers, others


def _operation(call: Call, constants: Mapping[str, Tensor], kind: str) -> Operation:
    names = _constants(call)
    ends = [name.rpartition(".")[2] for name in names]
    short = {
        name: end if ends.count(end) == 1 else name.replace(".", "_") for name, end in zip(names, ends, strict=True)
    }
    return Operation(_renamed(call, short), {short[name]: constants[name] for name in names}, kind)


def _constants(call: Call) -> list[str]:
    return list(dict.fromkeys(one.name for one in call.parts() if isinstance(one, Constant)))


def _renamed(call: Call, names: Mapping[str, str]) -> Call:
    return call.mapped(lambda one: Constant(names[one.name]) if isinstance(one, Constant) else one)


def _free(name: str, layers: Mapping[str, Operation], groups: Mapping[str, object]) -> str:
    """Return a name that no other layer has or will have."""
    while name in layers or any(path == name or path.startswith(f"{name}.") for path in groups):
        name += "_"
    return name
