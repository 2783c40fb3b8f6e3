"""``FILE.py:callable`` and ``package.module:callable``: a model in a user's own Python."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch import nn

from unnerve.core.errors import FROM_OUTSIDE, InvalidModel, raised
from unnerve.core.naming.callables import called_plainly, named, neighbours_importable, required_arguments
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["Python"]


@dataclass(frozen=True)
class Python:
    """A module, a function that answers, or a function without arguments that returns one of them."""

    shown: ClassVar[str] = "FILE.py:callable, package.module:callable"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Import the name, and call it if it can be called without arguments."""
        thing = named(place, InvalidModel)
        if isinstance(thing, nn.Module) or not callable(thing):
            return Opened(thing, Declaration("Python object"))
        # One argument is the inputs; a class, or more arguments, can only be a model that is yet to be built.
        missing = required_arguments(thing)
        if missing and (isinstance(thing, type) or len(missing) > 1):
            arguments = " and ".join(missing)
            raise InvalidModel(f"{place} needs {arguments}; write a function without arguments that returns the model")
        if not called_plainly(thing):
            return Opened(_Answering(thing, place), Declaration("Python function"))
        try:
            with neighbours_importable(place):  # what it imports only now
                return Opened(thing(), Declaration("Python object"))
        except FROM_OUTSIDE:
            raise
        except BaseException as problem:
            raise InvalidModel(f"{place} raised {raised(problem)}") from problem


@dataclass(frozen=True)
class _Answering:
    """A function that is called with inputs; one that builds a model from an argument looks just the same."""

    function: Callable[..., object]
    place: str

    def __call__(self, x: np.ndarray) -> object:
        try:
            answer = self.function(x)
        except FROM_OUTSIDE:
            raise
        except BaseException as problem:
            raise InvalidModel(f"{self.place} raised {raised(problem)} ({self._hint(x)})") from problem
        if isinstance(answer, nn.Module):
            raise InvalidModel(f"{self.place} must return probabilities or logits, got a module: {self._hint(x)}")
        return answer

    def _hint(self, x: np.ndarray) -> str:
        return (
            f"it takes an argument, so it was given inputs of shape {x.shape}; one that builds a model must need none"
        )
