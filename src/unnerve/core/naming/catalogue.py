"""Name <-> method <-> JSON. A method's path is its identifier: there is no registry to edit.

A method is a module of its name in a room; a method that needs several files is a package of its name with a module of
its name: ``papers/nsatp/nsatp.py`` holds ``nsatp``.
"""

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.naming.callables import looks_like_python
from unnerve.core.naming.conversion import alternatives, converted
from unnerve.core.naming.origins import origin
from unnerve.core.naming.specification import Specification, specification
from unnerve.core.naming.user_methods import user_method

__all__ = ["FORMER_NAMES", "KINDS", "bound", "build", "describe", "find", "names", "settings"]

KINDS: Mapping[str, tuple[str, ...]] = {
    "score": ("measure.scores",),
    "order": ("measure.orders",),
    "curve": ("measure.curves",),
    "coverage": ("measure.coverages",),
    "reaction": ("measure.reactions",),
    "robustness measure": ("measure.robustness",),
    "perturbation": ("generate.perturbations",),
    "transform": ("generate.transforms",),
    "region": ("generate.regions",),
    "oracle": ("generate.oracles",),
    "search": ("generate.searches",),
    "objective": ("generate.objectives",),
    "hunter": ("generate.noises", "generate.attacks", "generate.guided", "generate.fuzzers", "generate.natural"),
    "defence": ("mend.defences",),
    "repair": ("mend.repairs",),
    "data set": ("subjects.datasets",),
    "fault": ("subjects.faults",),
    "model form": ("subjects.forms",),
    "zoo model": ("subjects.zoo",),
    "paper": ("papers",),
}
"""Each kind of method and the rooms it lives in; a name is unique within a kind."""

_SOURCE = "source"
"""Where a description has the hash of a user's program."""

FORMER_NAMES: Mapping[tuple[str, str], str] = {("hunter", "tour"): "class_tour"}
"""Kind and name of methods that were renamed -> the name they have now; the old one is still found."""


@cache
def names(kind: str) -> tuple[str, ...]:
    """Return the names of all methods of a kind, sorted; nothing is imported."""
    return tuple(sorted(_paths(kind) | dict.fromkeys(_plugins(kind), "")))


def find(kind: str, name: str) -> Callable[..., Any]:
    """Return the class or function of a method.

    The function named like its file, else the class of that name without underscores, case-insensitively: the
    class beside a function is what the function returns.
    """
    name = name.replace("-", "_").lower()
    name = FORMER_NAMES.get((kind, name), name)
    # Plugins first: whoever installs a package that brings a pgd of its own wants that one.
    if name in (plugins := _plugins(kind)):
        return typing.cast(Callable[..., Any], plugins[name].load())
    path = _paths(kind).get(name)
    if path is None:
        raise UnknownName(kind, name, names(kind))
    members = vars(importlib.import_module(path))
    own = {key: value for key, value in members.items() if getattr(value, "__module__", "") == path}
    if inspect.isfunction(own.get(name)):
        return typing.cast(Callable[..., Any], own[name])
    return next(value for key, value in own.items() if inspect.isclass(value) and key.lower() == name.replace("_", ""))


def bound(kind: str, text: str, **more: object) -> Callable[[], Any]:
    """Return a method with its settings read from ``NAME:key=value,...``, not called yet.

    Settings are checked and converted by the annotations; ``more`` are given as they are where the method knows them.
    """
    spec = specification(text)
    method, written = _named(kind, spec)
    own, known = settings(method), _reachable(method)
    given: dict[str, object] = {key: value for key, value in more.items() if key in own}
    for key, value in written:
        # A bare value is the first setting: linf:0.1.
        place = key or next(iter(known), "")
        # A word of Python's own, such as class, cannot name a field: the field has an underscore behind it.
        place = f"{place}_" if place not in known and f"{place}_" in known else place
        if place not in known:
            hint = f"it has {', '.join(known)}" if known else "it has none"
            raise InvalidSetting(f"{spec.name} has no setting '{key or value}'; {hint}")
        given[place] = _converted(f"{spec.name}: {place}", value, known[place].annotation)
    given = _filled(method, given)
    missing = [key for key, setting in own.items() if setting.default is setting.empty and key not in given]
    if missing:
        raise InvalidSetting(f"{spec.name} needs {' and '.join(missing)}: {spec.name}:{missing[0]}=...")
    # Not called yet: opening a data set may read gigabytes, and the command checks all its words before that.
    return lambda: method(**given)


def build(kind: str, text: str | Mapping[str, Any] | object) -> Any:
    """Return a method as a value: from text, from what :func:`describe` returned, or unchanged if it is one already."""
    if isinstance(text, Mapping):
        given = {key: build(*_nested(value)) if isinstance(value, Mapping) else value for key, value in text.items()}
        method = _stored(kind, given)
        return method(**_filled(method, given)) if inspect.isclass(method) else method
    if not isinstance(text, str):
        return text
    spec = specification(text)
    method, written = _named(kind, spec)
    if inspect.isclass(method):
        return bound(kind, text)()
    if written:
        raise InvalidSetting(f"{spec.name} has no settings, got '{text}'")
    return method


def describe(method: object) -> dict[str, Any]:
    """Return a method as JSON: its name and, for a dataclass, its settings; :func:`build` is the inverse.

    A method of a user's own has the hash of its program as ``source``. One that has no name by which another process
    could find it is described all the same, but cannot be built from that.
    """
    owner: Any = method if inspect.isfunction(method) else type(method)
    kind, name = _home(owner)
    description: dict[str, Any] = {"name": name}
    if not kind:
        description["name"], description[_SOURCE] = origin(owner if is_dataclass(method) else method)
    if is_dataclass(method):
        for setting in filter(_is_setting, fields(method)):
            value = getattr(method, setting.name)
            # What is no plain value is a method inside a method, such as the search of a guided hunter.
            plain = isinstance(value, bool | int | float | str | None)
            description[setting.name] = (
                value if plain else {"kind": _kind_of(value, owner, setting.name), **describe(value)}
            )
    return description


def settings(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the settings of a method by name, with resolved annotations and defaults."""
    hints = typing.get_type_hints(method.__init__ if inspect.isclass(method) else method)
    own = {setting.name: setting for setting in fields(method)} if is_dataclass(method) else {}
    known = {
        key: value.replace(annotation=hints.get(key, str))
        for key, value in inspect.signature(method).parameters.items()
        if key not in own or _is_setting(own[key])
    }
    for setting in filter(_is_setting, own.values()):
        if setting.default_factory is not MISSING:
            known[setting.name] = known[setting.name].replace(default=setting.default_factory())
    return known


def _is_setting(one: Field[Any]) -> bool:
    """Say whether a field of a method is a setting; one that is not says so: it is neither described nor read."""
    return bool(one.metadata.get("setting", True))


def _named(kind: str, spec: Specification) -> tuple[Callable[..., Any], tuple[tuple[str, str], ...]]:
    """Return the method that a specification names, and its settings in words."""
    if not looks_like_python(spec.name):
        return find(kind, spec.name), spec.settings
    source = dict(spec.settings).get(_SOURCE)
    return user_method(kind, spec.name, source), tuple(pair for pair in spec.settings if pair[0] != _SOURCE)


def _stored(kind: str, given: dict[str, Any]) -> Callable[..., Any]:
    """Take name and hash from a description, and return the method that they stand for."""
    name = str(given.pop("name"))
    if looks_like_python(name) or (_SOURCE in given and name not in names(kind)):
        found: Callable[..., Any] = user_method(kind, name, given.pop(_SOURCE, None))
        return found
    return find(kind, name)


def _reachable(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the settings of a method, and before each that is a method of a fixed class what can be set in it."""
    own, owners = settings(method), _owners(method)
    found: dict[str, inspect.Parameter] = {}
    for key, setting in own.items():
        if key in owners.values():
            found |= {name: one for name, one in settings(setting.annotation).items() if owners.get(name) == key}
        found[key] = setting
    return found


def _filled(method: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those that belong into a setting of a fixed class put into it."""
    own, owners = settings(method), _owners(method)
    filled = {key: value for key, value in given.items() if key not in owners}
    for owner in dict.fromkeys(owners[key] for key in given if key in owners):
        inner = {key: value for key, value in given.items() if owners.get(key) == owner}
        filled[owner] = replace(filled.get(owner, own[owner].default), **inner)
    return filled


def _owners(method: Callable[..., Any]) -> dict[str, str]:
    """Return the settings that exactly one setting of a method has in turn, each with the name of that one."""
    own = settings(method)
    fixed = {key: type(one.default) for key, one in own.items() if type(one.default) is one.annotation}
    inner = {key: settings(kind) for key, kind in fixed.items() if is_dataclass(kind)}
    names_inside = [name for known in inner.values() for name in known]
    return {
        name: key for key, known in inner.items() for name in known if name not in own and names_inside.count(name) == 1
    }


@cache
def _paths(kind: str) -> dict[str, str]:
    found = {}
    for room in KINDS[kind]:
        package = importlib.import_module(f"unnerve.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            # What a room's methods share begins with an underscore, so that it is never taken for a method.
            if not module.name.startswith("_"):
                home = f"{module.name}.{module.name}" if module.ispkg else module.name
                found[module.name] = f"unnerve.{room}.{home}"
    return found


@cache
def _offered() -> dict[str, Any]:
    # Once for all kinds: it opens a file of every package that is installed, 20 ms or more.
    return {entry.name.replace("-", "_").lower(): entry for entry in entry_points(group="unnerve.methods")}


def _plugins(kind: str) -> dict[str, Any]:
    """Return third-party methods: entry points of the group ``unnerve.methods`` named ``KIND.NAME``."""
    prefix = kind.replace(" ", "_") + "."
    return {name.removeprefix(prefix): entry for name, entry in _offered().items() if name.startswith(prefix)}


def _home(owner: Any) -> tuple[str, str]:
    """Return the kind and name of a class or function: its path's, or a plugin's own; no kind if it is neither."""
    theirs = f"{owner.__module__}:{owner.__qualname__}"
    for kind in KINDS:
        for name, entry in _plugins(kind).items():
            if entry.value == theirs:
                return kind, name
    folder, _, name = owner.__module__.rpartition(".")
    room = folder.removeprefix("unnerve.") if folder.startswith("unnerve.") else ""
    # A method that needs several files is the module of its own name in a package of its name.
    homes = {room, room.removesuffix(f".{name}")}
    return next((kind for kind, rooms in KINDS.items() if homes & set(rooms)), ""), name


def _kind_of(value: object, owner: Callable[..., Any], setting: str) -> str:
    """Return the kind of a method that is a setting: by its home, or else as its owner annotates it."""
    if home := _home(value if inspect.isfunction(value) else type(value))[0]:
        return home
    asked = [getattr(one, "__name__", "").lower() for one in alternatives(settings(owner)[setting].annotation)]
    return next((one for one in asked if one in KINDS), "")


def _nested(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    rest = dict(value)
    return rest.pop("kind"), rest


def _converted(where: str, text: str, annotation: Any) -> object:
    kinds = alternatives(annotation)
    if text.lower() == "none" and type(None) in kinds:
        return None
    for kind in kinds:
        if (room := getattr(kind, "__name__", "").lower()) in KINDS:
            return build(room, text)
        if is_dataclass(kind) and (room := _home(kind)[0]):
            made = build(room, text)
            if type(made) is not kind:
                raise InvalidSetting(f"{where} must be {_home(kind)[1]}, got '{text}'")
            return made
    return converted(where, text, annotation)
