"""What a class is called: its name where it has one, else its number."""

from collections.abc import Sequence

__all__ = ["class_called", "telling"]


def class_called(classes: Sequence[str], number: int) -> str:
    """Return the name of a class, or its number where a model knows more classes than the data names.

    Examples
    --------
    >>> class_called(("cat", "dog"), 1), class_called(("cat", "dog"), 7)
    ('dog', '7')
    """
    return str(classes[number]) if 0 <= number < len(classes) else str(number)


def telling(classes: Sequence[str]) -> bool:
    """Say whether names tell more than numbers do; digits are called by their numbers already."""
    return any(name != str(number) for number, name in enumerate(classes))
