"""Plans as JSON: written from a plan's own facts, and read without building anything that they name."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from types import UnionType
from typing import Any

from unnerve.campaign.plan import HuntPlan, Plan, Source, StoredPlan
from unnerve.core.data.clips import Clips
from unnerve.core.data.features import Features
from unnerve.core.data.openings import opening_from_json
from unnerve.core.data.provenance import call_from_json
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import MethodFacts, OracleFacts, RegionFacts
from unnerve.core.methods import Normed
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.pools import scope

__all__ = ["decisive", "plan_from_json", "plan_to_json", "recorded"]

_SOURCES = ("model", "data", "reference")
_TOLD = ("opening", "accuracy", "dropout", "offers")
"""What is compared elsewhere, dropout in the model's hash, or only measured: a model that failed on some inputs may
answer them the next time."""

_FLAGS = ("blind", "one_step")

_TYPES: Mapping[str, type | UnionType] = {
    "model": dict,
    "data": dict,
    "methods": list,
    "region": dict,
    "oracle": dict,
    "facts": dict,
    "queries": int | None,
    "again": bool,
    "keep_going": bool,
    "quantised": bool,
    "minimum_margin": int | float,
    "proofs": int,
    "seeds": int,
    "seed": int,
    "shard": int,
    "pools": int,
    "reference": dict | None,
}


def recorded(plan: HuntPlan, shape: tuple[int, ...], least: Sequence[int | None] = ()) -> StoredPlan:
    """Return a plan with what its parts say of themselves, for inputs of this shape.

    ``least`` are the queries per seed that each method needs for one step, where they are known.
    """
    known = [*least, *[None] * (len(plan.methods) - len(least))]
    parts = {key: getattr(plan, key) for key in plan.__dataclass_fields__}
    parts |= {
        "methods": tuple(
            MethodFacts(describe(one), command_text(one), scope(one), need, *_flags(one))
            for one, need in zip(plan.methods, known, strict=True)
        ),
        # By what it can do, as hunts tell it: a region of a user's own need not think of saying so.
        "region": replace(plan.region.facts(shape), normed=isinstance(plan.region, Normed)),
        "oracle": plan.oracle.facts(),
    }
    return Plan(**parts)


def plan_to_json(plan: StoredPlan) -> dict[str, Any]:
    """Return a plan as JSON: what decides, and under ``facts`` what is only said of it."""
    parts = {key: getattr(plan, key) for key in plan.__dataclass_fields__}
    for key in _SOURCES:
        source = parts[key]
        parts[key] = None if source is None else _source_to_json(source)
    parts["methods"] = [dict(one.described) for one in plan.methods]
    parts["region"], parts["oracle"] = dict(plan.region.described), dict(plan.oracle.described)
    call = parts.pop("call")
    parts["facts"] = {
        "call": None if call is None else asdict(call),
        "methods": [
            {name: value for name, value in asdict(one).items() if name != "described"} for one in plan.methods
        ],
        **{
            key: {name: value for name, value in asdict(getattr(plan, key)).items() if name != "described"}
            for key in ("region", "oracle")
        },
    }
    # As it will be read back: tuples are lists there, and plans are compared with stored ones.
    plain: dict[str, Any] = json.loads(json.dumps(parts))
    return plain


def decisive(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a plan's JSON what decides what is found, to compare two of them: first how things were opened."""
    plain = {key: one for key, one in value.items() if key != "facts"}
    named = {key: plain[key] for key in _SOURCES if plain.get(key) is not None}
    openings = [opening_from_json(one["opening"]).decisive(key) for key, one in named.items()]
    without = {key: {name: part for name, part in one.items() if name not in _TOLD} for key, one in named.items()}
    # Another spelling of a path is not another model: its hash tells.
    without["model"].pop("name", None)
    return {key: value for one in (*openings, plain, without) for key, value in one.items()}


def plan_from_json(value: Mapping[str, Any]) -> StoredPlan:
    """Read what :func:`plan_to_json` wrote; raises an error of the user, or KeyError, TypeError, ValueError."""
    typed = dict(_typed(value))
    facts = typed.pop("facts")
    said = facts["methods"]
    if len(said) != len(typed["methods"]):
        raise InvalidSetting("every method must have its facts")
    typed["methods"] = tuple(_method(one, more) for one, more in zip(typed["methods"], said, strict=True))
    typed["region"] = _region(typed["region"], facts["region"])
    typed["oracle"] = _oracle(typed["oracle"], facts["oracle"])
    typed["call"] = None if facts["call"] is None else call_from_json(facts["call"])
    for key in _SOURCES:
        if typed.get(key) is not None:
            typed[key] = _source(typed[key])
    return Plan(**typed)


def _typed(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return JSON as it is if its values are of the types that a plan has."""
    if not isinstance(value, Mapping):
        raise InvalidSetting("a plan must be an object")
    for key, kind in _TYPES.items():
        given = value.get(key)
        # To Python True is a number; in a plan it is a mistake.
        if key in value and (not isinstance(given, kind) or (isinstance(given, bool) and kind is not bool)):
            raise InvalidSetting(f"{key} cannot be {json.dumps(given)[:40]}")
    return value


def _source(value: Mapping[str, Any]) -> Source:
    details = dict(value)
    opening = opening_from_json(details.pop("opening"))
    if "features" in details:
        Features.from_json(details["features"])  # whoever asks for them later need not be ready for damage
    if "clips" in details:
        Clips.from_json(details["clips"])
    if not isinstance(details.get("offers", []), list):
        raise InvalidSetting("what a model offers must be a list of names")
    return Source(_text(details.pop("name")), _text(details.pop("hash")), details, opening)


def _source_to_json(source: Source) -> dict[str, Any]:
    return {"name": source.name, "hash": source.hash, "opening": asdict(source.opening), **source.details}


def _method(described: Mapping[str, Any], said: Mapping[str, Any]) -> MethodFacts:
    if not isinstance(described, dict) or not isinstance(described.get("name"), str):
        raise InvalidSetting("every method must have a name")
    if said["scope"] not in ("seed", "pool"):
        raise InvalidSetting("the scope of a method must be seed or pool")
    least = said.get("least")
    if not (least is None or (type(least) is int and least > 0)):
        raise InvalidSetting("the queries that a method needs must be a positive number")
    return MethodFacts(described, _text(said["text"]), said["scope"], least, *(_flag(said, name) for name in _FLAGS))


def _region(described: Mapping[str, Any], said: Mapping[str, Any]) -> RegionFacts:
    low, high = _numbers(said["value_range"])
    strict = None if said["strict"] is None else _numbers(said["strict"])
    reach, size = (None if said[key] is None else _number(said[key]) for key in ("reach", "size"))
    wider = None if said["wider"] is None else _text(said["wider"])
    if said["norm"] not in ("", "l0", "l2", "linf") or not low < high:
        raise InvalidSetting("a region must have a known norm, and a range of values")
    text, phrase = _text(said["text"]), _text(said["phrase"])
    decibels = None if said.get("decibels") is None else _number(said["decibels"])
    normed = _flag(said, "normed", usual=said["norm"] in ("l2", "linf"))
    return RegionFacts(described, text, phrase, size, said["norm"], (low, high), reach, strict, wider, normed, decibels)


def _oracle(described: Mapping[str, Any], said: Mapping[str, Any]) -> OracleFacts:
    target = said["target"]
    if not (target is None or (type(target) is int and target >= 0)):
        raise InvalidSetting("the target of an oracle must be a class number")
    if not isinstance(said["evidence"], list):
        raise InvalidSetting("the evidence of an oracle must be a list of names")
    evidence = tuple(_text(name) for name in said["evidence"])
    return OracleFacts(described, _text(said["text"]), _text(said["phrase"]), _text(said["deed"]), target, evidence)


def _flags(method: object) -> tuple[bool, ...]:
    """Return the facts that a hunter need not state, in the order of :class:`MethodFacts`."""
    return tuple(bool(getattr(method, name, False)) for name in _FLAGS)


def _flag(said: Mapping[str, Any], name: str, usual: bool = False) -> bool:
    # Campaigns of earlier builds do not say it.
    value = said.get(name, usual)
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false, got {json.dumps(value)[:40]}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be text, got {json.dumps(value)[:40]}")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not _finite(value):
        raise TypeError(f"must be a finite number, got {json.dumps(value)[:40]}")
    return float(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # JSON may hold whole numbers that no float reaches
        return False


def _numbers(value: Any) -> tuple[float, float]:
    first, second = value
    return _number(first), _number(second)
