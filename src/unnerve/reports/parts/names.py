"""Names that users gave (classes, ids, paths), made fit to be shown; markup is the template's business."""

from collections.abc import Sequence

from unnerve.core.storage.printable import printable

__all__ = ["class_name", "display_name", "printable", "short"]


def short(text: str, width: int = 28) -> str:
    """Cut the middle out of a long name."""
    if len(text) <= width:
        return text
    # Beginnings tell names apart more often than ends, but the ends of paths matter too.
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def display_name(text: str, width: int) -> str:
    """Make a name printable and cut it to a width."""
    return short(printable(text), width)


def class_name(classes: Sequence[str], index: int) -> str:
    """Return a class's name as it can be shown, or its number if it has none."""
    # A model may know more classes than the data names; and Python would take -1 for the last of them.
    return printable(classes[index]) if 0 <= index < len(classes) else f"class {index}"
