"""Quicker gradients of grey images, for who takes many of them."""

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import max_pool2d, relu
from torch.overrides import TorchFunctionMode

from unnerve.subjects.adapters.gradients.halving_pool import halving_pool, is_halving
from unnerve.subjects.adapters.gradients.input_convolution import input_convolution

__all__ = ["QuickGradients"]

_POOLINGS = (max_pool2d, torch.max_pool2d)
_RELUS = (relu, torch.relu, Tensor.relu)


class QuickGradients(TorchFunctionMode):
    """While it is active, convolutions over one channel and max poolings by two are made in our way.

    Their values are torch's; convolutions over one channel have no gradient of weights. There is none either of what a
    ReLU before a pooling returned: a module that asks for it gets torch's error, and has to be run without the mode.
    What is written into it through its ``data`` is not seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last_relu: tuple[weakref.ref[Tensor], int, Tensor, int] | None = None
        """What the last ReLU returned and was given, and which versions of them."""

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run a function, ours in the place of torch's where there is one."""
        named = kwargs or {}
        if func is torch.conv2d and not named and (made := input_convolution(args)) is not None:
            return made
        if func in _POOLINGS and args and is_halving(*args, **named):
            # The largest value of what a ReLU returned is the ReLU of the largest value: on a quarter of the numbers.
            before = self._before_relu(args[0])
            return halving_pool(args[0], False) if before is None else halving_pool(before, True)
        result = func(*args, **named)
        if func in _RELUS and args and result is not args[0]:
            self._last_relu = (weakref.ref(result), result._version, args[0], args[0]._version)
        return result

    def _before_relu(self, x: Tensor) -> Tensor | None:
        """Return what the last ReLU was given, if ``x`` is what it returned, and neither was written into since."""
        if self._last_relu is None:
            return None
        returned, version, given, given_version = self._last_relu
        same = returned() is x and (x._version, given._version) == (version, given_version)
        # Whoever has hooked something to it wants its gradient.
        watched = x._backward_hooks or x.retains_grad
        return given if same and not watched and given.is_contiguous() else None
