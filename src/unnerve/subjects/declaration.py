"""What is known of a model before any pass, because its form says so."""

from dataclasses import dataclass, field

from unnerve.core.data.ranges import ValueRange
from unnerve.core.errors import InvalidModel
from unnerve.core.wrappers.wrapped import Wrapped
from unnerve.subjects.input_facts import InputFacts

__all__ = ["Declaration", "ExpectedInput", "Shape", "declaration_of", "in_words"]

Shape = tuple[int | None, ...]
"""Of one input; None for a side of any length."""


@dataclass(frozen=True)
class Declaration:
    """What a model's form knows about it, before any pass.

    Parameters
    ----------
    form : str
        What it is, in a few words: ``TorchScript program``.
    outputs : str
        What it returns: ``logits``, ``probabilities``, or ``auto`` where only the first answer tells.
    shape : tuple of int or None, or None
        Of one input, where the form knows it.
    batch : int or None
        The only number of inputs that the model takes at once, where it is fixed.
    at_most : int or None
        The most inputs that it shall be asked for at once.
    class_names : tuple of str or None
        What the model calls its classes.
    feature_names : tuple of str or None
        What the model calls the columns of a table that it takes, in its order.
    value_range : (float, float) or None
        Of the values that it expects, where the form knows it.
    inputs : InputFacts
        How files of images and sounds are read for it.
    """

    form: str = ""
    outputs: str = "auto"
    shape: Shape | None = None
    batch: int | None = None
    at_most: int | None = None
    class_names: tuple[str, ...] | None = None
    feature_names: tuple[str, ...] | None = None
    value_range: ValueRange | None = None
    inputs: InputFacts = field(default_factory=InputFacts)


@dataclass(frozen=True)
class ExpectedInput:
    """What a model takes.

    Parameters
    ----------
    model : str
        Its name, for errors.
    shape : tuple of int or None
        Of one input.
    """

    model: str
    shape: Shape

    def check(self, given: tuple[int, ...]) -> None:
        """Raise a clear error unless one input of shape ``given`` is what the model takes."""
        sides = zip(self.shape, given, strict=False)
        if len(self.shape) != len(given) or not all(side in (None, own) for side, own in sides):
            raise InvalidModel(f"{self.model} takes inputs of shape {in_words(self.shape)}, got {in_words(given)}")


def declaration_of(model: object) -> Declaration:
    """Return what the form of a model knows about it; nothing of one that was made in Python."""
    # A transform of inputs changes neither the size that a model takes nor its classes: that of the model within holds.
    while isinstance(model, Wrapped):
        model = model.model
    found = getattr(model, "declared", None)
    return found if isinstance(found, Declaration) else Declaration()


def in_words(shape: Shape) -> str:
    """Return a shape as ``3 x any x any``."""
    return " x ".join("any" if side is None else str(side) for side in shape) or "one number"
