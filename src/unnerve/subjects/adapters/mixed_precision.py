"""A module whose convolutions and dense layers work in half precision (Micikevicius et al., ICLR 2018)."""

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from unnerve.core.errors import InvalidSetting

__all__ = ["MixedPrecision", "in_precision"]

_KINDS = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def in_precision(module: nn.Module, name: str) -> nn.Module:
    """Return the module as it is (``float32``), or in mixed precision (``bfloat16``, ``float16``)."""
    if name != "float32" and name not in _KINDS:
        raise InvalidSetting(f"precision must be float32, {' or '.join(_KINDS)}, got '{name}'")
    return module if name == "float32" else MixedPrecision(module, name)


class MixedPrecision(nn.Module):
    """A module under torch's autocast; its answers are float32 again.

    It is a model of its own: findings are proven on it, and need not hold on the module in full precision.

    Parameters
    ----------
    module : nn.Module
    kind : str
        ``bfloat16`` or ``float16``.

    References
    ----------
    Micikevicius et al., "Mixed precision training", 2018.
    """

    def __init__(self, module: nn.Module, kind: str) -> None:
        super().__init__()
        self.module, self.kind = module, kind
        self.training = module.training

    @property
    def neurons_inside(self) -> nn.Module:
        """The module itself: precision changes neither which neurons count nor what their layers are called."""
        return self.module

    def extra_repr(self) -> str:
        """Return the precision, so that the identity of the model tells it."""
        return self.kind

    def forward(self, x: Tensor) -> object:
        """Run the module in mixed precision."""
        with torch.autocast(x.device.type, _KINDS[self.kind]):
            answer = self.module(x)
        return tree_map(lambda one: one.float() if isinstance(one, Tensor) and one.is_floating_point() else one, answer)
