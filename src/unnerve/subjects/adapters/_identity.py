"""What tells a module from others: layers, weights, the program of what is somebody's own, and answers to probes."""

import hashlib
import inspect
import math
from collections.abc import Callable, Iterator
from types import FunctionType

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.data.conversion import converted
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidModel, raised
from unnerve.core.judge import other_random_numbers
from unnerve.core.naming.programs import PLAIN, held, is_held, is_installed, named_beside, program, unwrapped

__all__ = ["PROBES", "module_identity", "probes"]

PROBES = 16
_LIBRARIES = ("torch.", "unnerve.")


def module_identity(
    module: nn.Module, observed: Callable[[Tensor], Tensor], shape: tuple[int, ...], expects: ValueRange, more: str
) -> str:
    """Return a hash of a module, in hexadecimal.

    Parameters
    ----------
    observed : callable
        From inputs (N, ...) to logits (N, C).
    shape : tuple of int
        Of one input.
    expects : (float, float)
        The range of values it takes.
    more : str
        What else belongs to it.
    """
    digest = hashlib.blake2b(more.encode(), digest_size=16)
    try:
        digest.update(repr(module).encode(errors="replace"))
        for name, tensor in module.state_dict().items():
            digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    except Exception as problem:  # both are somebody's code
        raise InvalidModel(f"a model must show its layers and weights, but it raised {raised(problem)}") from problem
    for text in _programs(module):
        digest.update(text.encode(errors="replace"))
    digest.update(_answers(observed, probes(shape, expects)))
    return digest.hexdigest()


def probes(shape: tuple[int, ...], expects: ValueRange) -> Tensor:
    """Return the inputs that a model is recognised by, (16, ...), always the same."""
    raw = np.random.Generator(np.random.Philox(key=0)).random((PROBES, *shape), dtype=np.float32)
    return converted(torch.from_numpy(raw), UNIT, expects)


def _programs(module: nn.Module) -> Iterator[str]:
    """Yield the programs of a module's own functions; those of libraries are told by their versions.

    Comments and layout do not count: a program is what it does. To it belong the functions and plain values that it
    names in its own file, if that is somebody's own.
    """
    seen: set[type] = set()
    functions: list[FunctionType] = []
    for part in module.modules():
        # A forward that was put on the object itself is in no class.
        own_forward = vars(part).get("forward")
        if inspect.isfunction(own_forward):
            functions += [] if _of_library(own_forward) else [own_forward]
            yield program(own_forward)
        for kind in type(part).__mro__:
            if kind in seen or kind is object or _of_library(kind):
                continue
            seen.add(kind)
            # Function by function: the file of a class is not found once its module was forgotten.
            plain = {name: value for name, value in vars(kind).items() if not name.startswith("__")}  # not its module
            yield from (f"{name}={value!r}" for name, value in plain.items() if isinstance(value, PLAIN))
            own = list(filter(inspect.isfunction, vars(kind).values()))
            yield from map(program, own)
            wrapped = [inner for value in plain.values() for inner in unwrapped(value)]
            if not all(map(is_installed, own + wrapped)):
                yield from map(program, wrapped)
                more = {name: value for name, value in plain.items() if is_held(value) and not isinstance(value, tuple)}
                yield from (f"{name}={held(value)}" for name, value in more.items())
                functions += own + wrapped
        if isinstance(part, torch.fx.GraphModule):
            yield part.code
    yield from named_beside(functions)


def _of_library(thing: type | FunctionType) -> bool:
    return f"{thing.__module__}.".startswith(_LIBRARIES)


def _answers(observed: Callable[[Tensor], Tensor], inputs: Tensor) -> bytes:
    """Return what is answered to probes, so coarsely that another processor's rounding does not show."""
    try:
        with other_random_numbers(0):
            logits = observed(inputs).double().cpu()
    except InvalidModel as problem:
        return type(problem.__cause__ or problem).__name__.encode()
    finite = torch.nan_to_num(logits, nan=0.0, posinf=0.0, neginf=0.0)
    # A tenth of a power of two: float32 sums differ in the seventh digit, so that one value in a million is torn.
    scale = 2.0 ** math.ceil(math.log2(max(float(finite.abs().amax()), 1e-9)))
    coarse = (finite / scale * 10).round().to(torch.int8)
    return coarse.numpy().tobytes()
