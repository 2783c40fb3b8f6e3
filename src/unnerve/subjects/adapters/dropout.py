"""Where and how strongly a model's units are dropped when it is asked for draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

import torch
from torch import nn
from torch.nn.modules.dropout import _DropoutNd

from unnerve.core.errors import InvalidSetting

__all__ = ["Dropout", "has_dropout"]

_NAMES = {"dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "feature_dropout"}


@dataclass(frozen=True)
class Dropout:
    """Dropout in draws; answers and gradients never have any.

    Parameters
    ----------
    rate : float or None
        Share of units that are dropped, in ``(0, 1)``; None for the network's own rates.
    places : tuple of str, or None
        Layers after which units are dropped, as patterns (``pool*``, ``relu#2`` for its second call), or before which
        (``before:fc``). None for the network's own dropout, or, if it has none, for places that are found: after
        poolings or stages, and before the classifier.
    """

    rate: float | None = None
    places: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.rate is not None and not 0 < self.rate < 1:
            raise InvalidSetting(f"the dropout rate must be in (0, 1), got {self.rate}")
        if self.places is not None and self.rate is None:
            raise InvalidSetting("dropout at chosen places needs a rate")
        if self.places is not None and not self.places:
            raise InvalidSetting("places must name at least one layer, got none")


def has_dropout(module: nn.Module) -> bool:
    """Say whether a module seems to have dropout of its own: layers, or functions that its code names.

    Only a pass can tell for sure; this is asked before any.
    """
    parts = list(module.modules())
    scripted = any(isinstance(part, torch.jit.ScriptModule) for part in parts)
    return not scripted and any(map(_drops, parts))


def _drops(part: nn.Module) -> bool:
    if isinstance(part, _DropoutNd | nn.MultiheadAttention):
        return bool(part.p if isinstance(part, _DropoutNd) else part.dropout)
    code = getattr(type(part).forward, "__code__", None)
    if code is None or type(part).__module__.startswith("torch.nn."):
        return False
    names = set(_named(code))
    # An attribute of that name is a layer, which speaks for itself, or a rate.
    return bool(names & _NAMES) or ("dropout" in names and not hasattr(part, "dropout"))


def _named(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _named(inside)
