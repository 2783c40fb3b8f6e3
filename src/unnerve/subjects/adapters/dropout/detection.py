"""Whether a module has dropout of its own, asked before any pass."""

from collections.abc import Iterator
from types import CodeType

import torch
from torch import nn
from torch.nn.modules.dropout import _DropoutNd

from unnerve.subjects.adapters._layers import IN_PARTS

__all__ = ["DROPS", "has_dropout"]

DROPS = "drops"
"""Attribute of a layer that says whether it drops units."""

_FUNCTIONS = {"dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "feature_dropout"}


def has_dropout(module: nn.Module) -> bool:
    """Say whether a module seems to have dropout of its own: layers, or functions that its code names.

    Only a pass can tell for sure; this is asked before any.
    """
    parts = list(module.modules())
    closed = any(isinstance(part, torch.jit.ScriptModule) or getattr(part, IN_PARTS, False) for part in parts)
    return not closed and any(map(_drops, parts))


def _drops(part: nn.Module) -> bool:
    if isinstance(part, _DropoutNd | nn.MultiheadAttention):
        return bool(part.p if isinstance(part, _DropoutNd) else part.dropout)
    if getattr(part, DROPS, False):
        return True
    code = getattr(type(part).forward, "__code__", None)
    # Layers of torch name dropout in their code also where it is off; their submodules are asked instead.
    if code is None or type(part).__module__.startswith("torch.nn."):
        return False
    names = set(_named(code))
    # An attribute of that name is a layer, which is asked itself, or a rate.
    return bool(names & _FUNCTIONS) or ("dropout" in names and not hasattr(part, "dropout"))


def _named(code: CodeType) -> Iterator[str]:
    """Yield the names that a function's code uses, and those that functions defined inside it use."""
    yield from code.co_names
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _named(inside)
