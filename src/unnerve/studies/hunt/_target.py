"""The class that answers shall become, by its name or number."""

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting, UnknownName

__all__ = ["target_class"]


def target_class(target: int | str | None, data: Examples) -> int | None:
    """Return the number of a class; a text is a name of the data's classes, or else a number."""
    if target is None or isinstance(target, int):
        return target
    if target in data.classes:
        return data.classes.index(target)
    if target.isascii() and target.isdigit():
        return int(target)
    if not data.classes:
        raise InvalidSetting(f"target must be a number >= 0: the classes of {data.name} have no names, got '{target}'")
    raise UnknownName(f"class of {data.name}", target, data.classes)
