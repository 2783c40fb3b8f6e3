"""Hunts for a pattern of confidence and uncertainty: what hunters, oracle and model must know of it."""

from collections.abc import Sequence
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.methods import Aimed, Oracle
from unnerve.core.model import Capability, Classifier, Stochastic, require
from unnerve.core.naming.catalogue import bound, build, describe
from unnerve.core.patterns import PatternLimits
from unnerve.generate.attacks.foreign.foreign import adopted
from unnerve.generate.oracles.pattern import Pattern
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt.settings import HuntSettings, PatternSettings

__all__ = ["dropped_out", "hunters_for", "wanted_goal"]

_TRIED = 32


def hunters_for(methods: Sequence[Any], pattern: PatternSettings, dropout: DropoutSettings) -> list[Any]:
    """Return hunters that know the pattern; what their own settings say goes first."""
    limits = pattern.limits
    goal = {} if limits is None else {"pattern": limits.pattern, "confidence": limits.p, "uncertainty": limits.v}
    # Offered to every hunter by name; bound() leaves out what a method does not know.
    more = {**goal, "masks": dropout.count}
    return [
        bound("hunter", one, **more)() if isinstance(one, str) else build("hunter", adopted(one)) for one in methods
    ]


def wanted_goal(hunters: Sequence[Any], pattern: PatternSettings, settings: HuntSettings) -> Oracle | None:
    """Return the oracle that a pattern, or hunters that look for one, ask for; None for the usual one."""
    limits = pattern.limits
    if limits is not None and (settings.oracle is not None or settings.target is not None):
        raise InvalidSetting(f"pattern {limits.pattern} is an oracle of its own; leave oracle and target away")
    if settings.oracle is not None or settings.target is not None:
        return None
    named = None if limits is None else Pattern(limits.pattern, limits.p, limits.v)
    # One oracle judges the whole campaign: hunters with other goals would find what it does not accept.
    goals = [one.goal for one in hunters if isinstance(one, Aimed)]
    for one in goals:
        own, wanted = _limits(one), _limits(named or goals[0])
        if own != wanted:
            limited = own.pattern == wanted.pattern
            rule = f"all methods must look for the same pattern{', within the same limits' if limited else ''}"
            told = [_limits_text(limits) if limited else limits.pattern for limits in (own, wanted)]
            raise InvalidSetting(f"{rule}, got {told[0]} and {told[1]}")
    return named or next(iter(goals), None)


def dropped_out(
    model: Classifier, data: Examples, hunters: Sequence[Any], goal: Oracle | None, dropout: DropoutSettings, seed: int
) -> Classifier:
    """Return the model with the dropout that is asked for, after a look whether it can reach the pattern."""
    asking = next((one for one in (*hunters, goal) if one is not None and Capability.DROPOUT in one.needs), None)
    if asking is None:
        if dropout.given:
            raise InvalidSetting(f"--{next(iter(dropout.given))} is for methods that draw; kuk does, or --pattern")
        return model
    drawn = dropping(model, data, dropout, seed)
    require(drawn, Capability.DROPOUT, str(describe(asking)["name"]))
    if isinstance(goal, Pattern) and goal.limits.unsteady:
        _check_reach(drawn, data, goal.limits)
    return drawn


def _check_reach(model: Classifier, data: Examples, limits: PatternLimits) -> None:
    """Refuse dropout that changes no answer at all: no search would make half of the draws differ."""
    assert isinstance(model, Stochastic)
    batch = data.batch(range(min(_TRIED, len(data))))
    draws = model.samples(batch.inputs, Masks(0, batch.ids, 50)).argmax(dim=-1)
    if bool((draws == model.observe(batch.inputs).predicted).all()):
        raise InvalidSetting(
            f"pattern {limits.pattern} needs VRO > {limits.v:g}, but dropout changed none of {draws.numel()} answers "
            f"of {model.name}; drop more: --dropout RATE"
        )


def _limits(oracle: Oracle) -> PatternLimits:
    assert isinstance(oracle, Pattern)
    return PatternLimits(oracle.pattern, oracle.limits.p, oracle.limits.v)


def _limits_text(limits: PatternLimits) -> str:
    signs = [">" if high else "<" for high in (limits.surer, limits.unsteady)]
    return f"{limits.pattern} (PCS {signs[0]} {limits.p:g}, VRO {signs[1]} {limits.v:g})"
