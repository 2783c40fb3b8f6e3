"""Methods as users write them: the inverse of reading ``pgd:steps=40,step=8/255``."""

import inspect
from dataclasses import is_dataclass

from unnerve.core.naming.catalogue import describe, settings

__all__ = ["command_text", "number_text"]


def command_text(method: object) -> str:
    """Return a method as on the command line, with the settings in which it differs from its defaults.

    The first setting of a method that cannot do without it stands without its name: ``linf:0.1``.
    """
    name = str(describe(method)["name"])
    inner = _changed(method)
    return f"{name}:{','.join(inner)}" if inner else name


def number_text(value: float) -> str:
    """Write a number as people do, without losing a digit: 0.2, 8/255, 0.5/255, else all its digits."""
    if len(f"{value:g}") <= 5 and float(f"{value:g}") == value:
        return f"{value:g}"
    # 8/255 is what people write and remember; 0.03137254901960784 is what is stored.
    levels = value * 255
    quarters = round(4 * levels) / 4
    if 0 < quarters < 255 and quarters / 255 == value:
        return f"{quarters:g}/255"
    return repr(float(value))


def _changed(method: object) -> list[str]:
    if inspect.isroutine(method) or not is_dataclass(method):
        return []
    changed = []
    for place, (key, setting) in enumerate(settings(type(method)).items()):
        value = getattr(method, key)
        if place == 0 and setting.default is setting.empty:
            changed.append(_value(value))
        elif setting.default is setting.empty or value != setting.default:
            changed.append(f"{key}={_value(value)}")
    return changed


def _value(value: object) -> str:
    if is_dataclass(value):
        inner = _changed(value)
        name = str(describe(value)["name"])
        return f"{name}({','.join(inner)})" if inner else name
    if isinstance(value, float):
        return number_text(value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
