"""Which calls are dropout: torch's own, which do nothing in eval mode, and those that we put into a network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function_unary

from unnerve.subjects.adapters.dropout._attention import attention
from unnerve.subjects.adapters.dropout._dropout_apply import ApplyDropout
from unnerve.subjects.adapters.dropout._masks import Drop

__all__ = ["DropoutCalls", "inserted_dropout"]

_OF_UNITS = ("dropout", "alpha_dropout")
_OF_CHANNELS = ("dropout1d", "dropout2d", "dropout3d", "feature_dropout", "feature_alpha_dropout")


def inserted_dropout(x: Tensor) -> Tensor:
    """Return ``x``: marks where dropout was put into a network, and does nothing unless draws are made."""
    # Torch shows its own functions to a TorchFunctionMode; ours must ask for it.
    if has_torch_function_unary(x):
        result: Tensor = handle_torch_function(inserted_dropout, (x,), x)
        return result
    return x


@dataclass(frozen=True)
class DropoutCalls:
    """Tells dropout from other calls.

    Parameters
    ----------
    rate : float or None
        Instead of each call's own.
    inserted : bool
        Whether only what we put in counts, and not the network's own dropout.
    """

    rate: float | None = None
    inserted: bool = False

    def replacement(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Callable[[ApplyDropout], Any] | None:
        """Return what to do instead of a call of dropout, or None for any other call."""
        if function is inserted_dropout:
            return lambda apply: apply(args[0], Drop(self.rate or 0))
        if self.inserted:
            return None
        # Calls of exported programs are named like dropout.default.
        name = getattr(function, "__name__", "").split(".")[0]
        if name.rstrip("_") in _OF_UNITS or name.rstrip("_") in _OF_CHANNELS:
            return self._dropout(name, args, kwargs)
        return attention(function, name, args, kwargs, self.rate)

    def _dropout(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Callable[[ApplyDropout], Any] | None:
        """Read the arguments of ``F.dropout(input, p, training, inplace)``, ``torch.dropout_(input, p, train)`` ..."""
        given = dict(zip(("input", "p", "training", "inplace"), args, strict=False)) | dict(kwargs)
        own = given.get("p", 0.5)
        if own == 0:  # switched off by whoever built the network
            return None
        inplace = name.endswith("_") or bool(given.get("inplace"))
        drop = Drop(self.rate or own, name.rstrip("_") in _OF_CHANNELS, "alpha" in name, inplace)
        return lambda apply: apply(given["input"], drop)
