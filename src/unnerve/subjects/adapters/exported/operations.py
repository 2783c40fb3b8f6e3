"""One operation of an exported program as a layer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from unnerve.subjects.adapters.exported._functions import DROPOUT, function_named, kind_named, operation

__all__ = ["Call", "Constant", "Operation", "Rows", "Value"]


@dataclass(frozen=True)
class Value:
    """An argument that an earlier call returned: the ``index``-th value of a program, or of an operation's inputs."""

    index: int


@dataclass(frozen=True)
class Constant:
    """An argument that is a weight or another fixed tensor, by its name."""

    name: str


@dataclass(frozen=True)
class Rows:
    """An argument that is so many times the number of inputs."""

    times: int


@dataclass(frozen=True)
class Call:
    """A function with its arguments, in which values, constants and numbers of rows are to be filled in.

    Parameters
    ----------
    function : str
        Its name, see :func:`~unnerve.subjects.adapters.exported._functions.name_of`.
    arguments : tuple
        Lists are tuples too: a call is a value that can be compared.
    keywords : tuple of (str, object)
    """

    function: str
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...] = ()

    def run(self, values: Sequence[Any], constants: Mapping[str, Tensor | None], rows: int) -> Any:
        """Return what the function returns."""

        def filled(one: Any) -> Any:
            if isinstance(one, Value):
                return values[one.index]
            if isinstance(one, Constant):
                return constants[one.name]
            return one.times * rows if isinstance(one, Rows) else one

        keywords = {name: _mapped(one, filled) for name, one in self.keywords}
        return function_named(self.function)(*_mapped(self.arguments, filled), **keywords)

    def mapped(self, change: Callable[[Any], Any]) -> "Call":
        """Return the call with every argument, also inside of lists, changed."""
        keywords = tuple((name, _kept(one, change)) for name, one in self.keywords)
        return Call(self.function, _kept(self.arguments, change), keywords)

    def parts(self) -> list[Any]:
        """Return all arguments, those inside of lists one by one."""
        found: list[Any] = []
        self.mapped(found.append)
        return found

    def values(self) -> tuple[int, ...]:
        """Return the numbers of the values that are used, each once, in their order."""
        return tuple(dict.fromkeys(one.index for one in self.parts() if isinstance(one, Value)))


class Operation(nn.Module):
    """A call as a layer: its constants are its weights, its values are its inputs.

    Parameters
    ----------
    call : Call
    constants : dict of str to Tensor
        By the names that the call uses; parameters stay parameters.
    layer : str
        The class of the layer that made this call and no other; empty if none did.
    """

    def __init__(self, call: Call, constants: Mapping[str, Tensor], layer: str = "") -> None:
        super().__init__()
        self.call = call
        self.layer = layer
        for name, tensor in constants.items():
            if isinstance(tensor, nn.Parameter):
                self.register_parameter(name, tensor)
            else:
                self.register_buffer(name, tensor)

    @property
    def stands_for(self) -> type[nn.Module]:
        """The layer of torch that does the same: filters of neurons go by it."""
        return kind_named(self.call.function, self.layer)

    @property
    def drops(self) -> bool:
        """Whether it is dropout that is not switched off."""
        rate = self.call.arguments[1] if len(self.call.arguments) > 1 else 0.5
        return operation(self.call.function) in DROPOUT and rate != 0

    def forward(self, *inputs: Tensor) -> Any:
        """Run the operation."""
        # The number of rows stands only in shapes, and calls that take shapes are never layers: so any number will do.
        return self.call.run(inputs, {**self._parameters, **self._buffers}, 0)

    def extra_repr(self) -> str:
        """Return the call: what a model is hashed by must tell one operation from another."""
        return repr(self.call)


def _mapped(argument: Any, change: Callable[[Any], Any]) -> Any:
    """Return an argument changed, with tuples as the lists that they were."""
    return [_mapped(one, change) for one in argument] if isinstance(argument, tuple) else change(argument)


def _kept(argument: Any, change: Callable[[Any], Any]) -> Any:
    return tuple(_kept(one, change) for one in argument) if isinstance(argument, tuple) else change(argument)
