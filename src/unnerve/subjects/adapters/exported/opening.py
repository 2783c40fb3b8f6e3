"""Opening an exported program so that as much can be done with it as with the module it was made of."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.export import ExportedProgram

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.exported.conversion import Unsupported, converted, trains
from unnerve.subjects.adapters.exported.program import FixedBatch
from unnerve.subjects.declaration import ExpectedInput, Shape

__all__ = ["OpenedProgram", "opened_program"]

_TRIED = (2, 3, 5)
"""Numbers of inputs on which a program for a fixed number of them is compared with the one for any number."""


@dataclass(frozen=True)
class OpenedProgram:
    """An exported program as a module.

    Parameters
    ----------
    module : nn.Module
    shape : tuple of int or None
        Of one input.
    batch : int or None
        The number of inputs that it takes at once, where it could not be freed from it.
    note : str
        What had to be done, or could not be; empty in the ordinary case.
    """

    module: nn.Module
    shape: Shape
    batch: int | None = None
    note: str = ""


def opened_program(exported: ExportedProgram, name: str) -> OpenedProgram:
    """Return a program as a module of operations, for any number of inputs.

    One that was exported for a fixed number is freed from it where that gives the same answers; else it is asked for so
    many inputs at a time, and its neurons cannot be watched.
    """
    module = exported.module()
    assert isinstance(module, fx.GraphModule)
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    if len(inputs) != 1 or not isinstance(inputs[0].meta.get("val"), Tensor):
        listed = ", ".join(node.name for node in inputs) or "none"
        raise InvalidModel(f"{name}: a classifier must have one tensor as input, and this program has: {listed}")
    batch, *sides = (side if isinstance(side, int) else None for side in inputs[0].meta["val"].shape)
    expected, names = ExpectedInput(name, tuple(sides)), _names(exported.call_spec.out_spec)
    try:
        program = converted(module, names, expected)
    except Unsupported as problem:
        if trains(module):
            raise InvalidModel(f"{name}: exported in training mode; export it after model.eval()") from problem
        fixed = module if batch is None else FixedBatch(module, batch, expected)
        return OpenedProgram(fixed, expected.shape, batch, f"without neurons: {problem}")
    if batch is None:
        return OpenedProgram(program, expected.shape)
    fixed = FixedBatch(program, batch, expected)
    with suppress(Unsupported):
        freed = converted(module, names, expected, batch)
        # With its own number of inputs a program agrees whatever was put in that number's place.
        if all(_agree(freed, fixed, expected.shape, rows) for rows in _TRIED if rows != batch):
            return OpenedProgram(freed, expected.shape, note=f"exported for {batch} inputs, run with any number")
    return OpenedProgram(
        fixed, expected.shape, batch, f"without neurons: exported for {batch} inputs, and run with so many"
    )


def _names(output: Any) -> tuple[str, ...] | None:
    """Return the keys of a program's output, if it is a dict of tensors."""
    if getattr(output, "type", None) is not dict:
        return None
    return tuple(map(str, output.context))


def _agree(program: nn.Module, fixed: nn.Module, shape: Shape, rows: int) -> bool:
    """Say whether both answer alike."""
    if None in shape:
        return False
    sides = [side for side in shape if side is not None]
    x = torch.rand(rows, *sides, generator=torch.Generator().manual_seed(0))
    weights = next(program.parameters(), x)
    x = x.to(weights.device, weights.dtype)
    try:
        with torch.no_grad():
            one, other = _flat(program(x)), _flat(fixed(x))
    except Exception:  # shapes that do not fit together any more make torch raise almost anything
        return False
    return len(one) == len(other) and all(
        mine.shape == theirs.shape and torch.allclose(mine, theirs, rtol=1e-3, atol=1e-4)
        for mine, theirs in zip(one, other, strict=True)
    )


def _flat(output: Any) -> list[Tensor]:
    return [one for one in torch.utils._pytree.tree_leaves(output) if isinstance(one, Tensor)]
