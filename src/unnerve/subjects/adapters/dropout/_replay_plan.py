"""Which calls of a pass must run in every dropout draw, and which only once, on any module graph.

A call runs again if it is dropout, or if something it depends on does. Everything else is the prefix: it runs in the
first draw, and what later calls need of it is kept. Comparing two passes for equality would not do: at small rates
they are often equal by chance.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unnerve.subjects.adapters.dropout._provenance import INPUT, Call

__all__ = ["ReplayPlan", "replay_plan"]


@dataclass(frozen=True)
class ReplayPlan:
    """What to do at each call of a pass, up to the last that need not run again; calls beyond run again.

    Parameters
    ----------
    functions : tuple of callable
        What is called; a pass that calls something else does not fit the plan.
    again : tuple of bool
        Whether the call runs in every draw.
    kept : frozenset of int
        Calls whose results are needed in later draws.
    returns : tuple of tuple of int
        The memory that each call's results lie in.
    fresh : frozenset of int
        Memory made in the prefix and written to later: every draw gets a copy of its own.
    copied_at : mapping of int to tuple of (int, int)
        Calls before which such memory is copied: its number, and its index among the call's tensor arguments.
    """

    functions: tuple[Callable[..., Any], ...] = ()
    again: tuple[bool, ...] = ()
    kept: frozenset[int] = frozenset()
    returns: tuple[tuple[int, ...], ...] = ()
    fresh: frozenset[int] = frozenset()
    copied_at: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)


def replay_plan(calls: Sequence[Call], answer: Iterable[int] = ()) -> ReplayPlan:
    """Return the plan of a pass.

    Parameters
    ----------
    calls : sequence of Call
        The pass, as it was recorded.
    answer : iterable of int
        The memory of its answer.
    """
    if any(call.exposes_memory for call in calls):
        return ReplayPlan()
    again = _depending_on_dropout(calls)
    _with_later_writes(calls, again)
    if all(again):
        return ReplayPlan()
    first, last = _uses(calls, again)
    last |= dict.fromkeys(answer, len(calls))
    written = {memory for call, runs in zip(calls, again, strict=True) if runs for memory in call.writes}
    fresh = frozenset(written & _lasting(calls, again))
    length = max((index for index, runs in enumerate(again) if not runs), default=-1) + 1
    kept = {
        index
        for index, call in enumerate(calls[:length])
        if not again[index] and any(last.get(memory, -1) > index for memory in call.returns)
    }
    copied_at: dict[int, tuple[tuple[int, int], ...]] = {}
    for memory in sorted(fresh):
        index = first[memory]
        copied_at[index] = (*copied_at.get(index, ()), (memory, calls[index].reads.index(memory)))
    return ReplayPlan(
        functions=tuple(call.function for call in calls[:length]),
        again=tuple(again[:length]),
        kept=frozenset(kept),
        returns=tuple(call.returns for call in calls[:length]),
        fresh=fresh,
        copied_at=copied_at,
    )


def _depending_on_dropout(calls: Sequence[Call]) -> list[bool]:
    random: set[int] = set()
    again = []
    begun = values_seen = False
    for call in calls:
        begun |= call.is_dropout
        # Without tensors to judge by, a call may depend on anything that was looked at before.
        runs = call.is_dropout or values_seen or not random.isdisjoint(call.reads) or (begun and not call.reads)
        if runs:
            random.update(call.returns, call.writes)
            values_seen |= call.returns_values
        again.append(runs or not call.storable)
    return again


def _with_later_writes(calls: Sequence[Call], again: list[bool]) -> None:
    """Let writes run again that come after a call that does: that call must find what was there before."""
    more = True
    while more:
        first, _ = _uses(calls, again)
        late = [
            index
            for index, call in enumerate(calls)
            if not again[index] and any(first.get(memory, len(calls)) < index for memory in call.writes)
        ]
        for index in late:
            again[index] = True
        more = bool(late)


def _uses(calls: Sequence[Call], again: Sequence[bool]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the first and the last call that runs again and uses each memory."""
    uses = [(memory, index) for index, call in enumerate(calls) if again[index] for memory in call.reads]
    return dict(reversed(uses)), dict(uses)


def _lasting(calls: Sequence[Call], again: Sequence[bool]) -> set[int]:
    """Return the memory that the prefix makes, and the input's; parameters are nobody's to copy."""
    lasting, seen = {INPUT}, {INPUT}
    for call, runs in zip(calls, again, strict=True):
        seen.update(call.reads)
        if not runs:
            lasting.update(memory for memory in call.returns if memory not in seen)
        seen.update(call.returns)
    return lasting
