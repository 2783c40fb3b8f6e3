"""What a form of models is, and what it opens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from unnerve.subjects.declaration import Declaration
from unnerve.subjects.opening import ModelOptions

if TYPE_CHECKING:
    from torch import nn

__all__ = ["ModelForm", "Opened"]


@dataclass(frozen=True)
class Opened:
    """A model as its form opened it.

    Parameters
    ----------
    thing : nn.Module or callable
        A function from float32 arrays (N, ...) to probabilities or logits (N, C), where it is no module.
    declared : Declaration
    """

    thing: "nn.Module | Callable[..., Any]"
    declared: Declaration


class ModelForm(Protocol):
    """Opens the models of one form: a frozen dataclass of the room ``forms``; its fields are the form's settings.

    The name of its file is the prefix or the suffix by which a text names such a model: ``onnx:FILE``, ``FILE.onnx``.
    """

    shown: ClassVar[str]
    """The form in words, for help and errors: ``FILE.onnx``."""

    also: ClassVar[tuple[str, ...]]
    """Further prefixes and suffixes: ``("https",)``."""

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Open what a text names; ``place`` is the text without the form's prefix and settings."""
        ...
