"""What is known of a model before any pass, because its form says so."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidModel

__all__ = ["Declaration", "Shape", "check_shape", "in_words"]

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
    class_names : tuple of str or None
        What the model calls its classes.
    """

    form: str = ""
    outputs: str = "auto"
    shape: Shape | None = None
    batch: int | None = None
    class_names: tuple[str, ...] | None = None


def check_shape(shape: Shape | None, given: tuple[int, ...], name: str) -> None:
    """Raise a clear error unless one input of shape ``given`` is what a model takes; anything fits an unknown shape."""
    if shape is None:
        return
    fits = len(shape) == len(given) and all(side in (None, own) for side, own in zip(shape, given, strict=True))
    if not fits:
        raise InvalidModel(f"{name} takes inputs of shape {in_words(shape)}, got {in_words(given)}")


def in_words(shape: Shape) -> str:
    """Return a shape as ``3 x any x any``."""
    return " x ".join("any" if side is None else str(side) for side in shape) or "one number"
