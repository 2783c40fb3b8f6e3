"""What tells a module from others: layers, weights, the program of what is somebody's own, and answers to probes."""

import ast
import hashlib
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.data.conversion import converted
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.errors import InvalidModel, raised
from unnerve.core.judge import other_random_numbers

__all__ = ["PROBES", "module_identity", "probes"]

PROBES = 16
_LIBRARIES = ("torch.", "unnerve.")
_PLAIN = (bool, int, float, str, tuple)


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

    Comments and layout do not count: a program is what it does.
    """
    seen: set[type] = set()
    for part in module.modules():
        # A forward that was put on the object itself is in no class.
        own_forward = vars(part).get("forward")
        if inspect.isfunction(own_forward):
            yield _program(own_forward)
        for kind in type(part).__mro__:
            if kind in seen or kind is object or f"{kind.__module__}.".startswith(_LIBRARIES):
                continue
            seen.add(kind)
            # Function by function: the file of a class is not found once its module was forgotten.
            plain = {name: value for name, value in vars(kind).items() if not name.startswith("__")}  # not its module
            yield from (f"{name}={value!r}" for name, value in plain.items() if isinstance(value, _PLAIN))
            yield from map(_program, filter(inspect.isfunction, vars(kind).values()))
        if isinstance(part, torch.fx.GraphModule):
            yield part.code


def _program(function: FunctionType) -> str:
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):  # typed into an interpreter, or a lambda in the middle of a call
        code = function.__code__
        constants = [one for one in code.co_consts if isinstance(one, _PLAIN)]
        return f"{code.co_code.hex()}{constants!r}{code.co_names!r}"


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
