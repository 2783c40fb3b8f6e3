"""Coverage as bars, criterion by criterion and layer by layer."""

from dataclasses import dataclass

from unnerve.core.methods import Covered
from unnerve.reports.parts.criteria import criterion_words
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, significant
from unnerve.studies.cover.result import Cover

__all__ = ["Added", "CriterionBar", "LayerCell", "LayerSet", "criterion_bars", "layer_sets", "lead"]

_LEAD = "nc"


@dataclass(frozen=True)
class Added:
    """What further inputs add to a criterion.

    Parameters
    ----------
    data, inputs : str
        Where they come from, and how many there are.
    figure : str
        ``+1.9 points`` of a share, ``+12`` of what has no total.
    together : str
        What is covered with them.
    share : float
        Of that, in per cent of the bar's room; 0 where nobody knows the total.
    """

    data: str
    inputs: str
    figure: str
    together: str
    share: float


@dataclass(frozen=True)
class CriterionBar:
    """One criterion: what it counts, what is covered, and what further inputs add."""

    name: str
    words: str
    figure: str
    counted: str
    share: float | None
    added: tuple[Added, ...]


@dataclass(frozen=True)
class LayerCell:
    """The share of a layer that is covered, and what further inputs added to it."""

    share: float
    figure: str
    added: str


@dataclass(frozen=True)
class LayerSet:
    """Coverage by layer and criterion, of the data alone or with further inputs.

    Parameters
    ----------
    title : str
    criteria : tuple of str
    rows : tuple of (layer, neurons, cells)
    """

    title: str
    criteria: tuple[str, ...]
    rows: tuple[tuple[str, int, tuple[LayerCell, ...]], ...]


def criterion_bars(found: Cover) -> tuple[CriterionBar, ...]:
    """Return the criteria, each with what those further inputs add that there are any of."""
    return tuple(
        CriterionBar(
            name=display_name(key, 40),
            words=criterion_words(found.criteria[key]).counted,
            figure=_figure(state),
            counted=count(state.covered) if state.total is None else f"{count(state.covered)} of {count(state.total)}",
            share=_room(state),
            added=tuple(
                Added(
                    data=display_name(one.data, 40),
                    inputs=count(one.inputs, "inputs"),
                    figure=_gain(state, one.states[key]),
                    together=_figure(one.states[key]),
                    share=_room(one.states[key]) or 0.0,
                )
                for one in found.additions
                if one.inputs
            ),
        )
        # The criterion of the headline comes first, the others as they were asked for.
        for key, state in sorted(found.states.items(), key=lambda item: item[0] != lead(found))
    )


def layer_sets(found: Cover) -> tuple[LayerSet, ...]:
    """Return the tables by layer: of the data alone, then with each set of further inputs."""
    # Patterns go across layers, and so have no share in any.
    keys = [key for key, state in found.states.items() if state.shares()]
    alone = {key: found.states[key].shares() for key in keys}
    sets = [(display_name(found.data, 60), alone)]
    for one in (one for one in found.additions if one.inputs):
        shares = {key: one.states[key].shares() for key in keys}
        sets.append((f"{display_name(found.data, 60)} with {display_name(one.data, 40)}", shares))
    return tuple(
        LayerSet(
            title,
            tuple(display_name(key, 24) for key in keys),
            tuple(
                (
                    display_name(layer.name, 60),
                    layer.count,
                    tuple(_cell(alone, shares, key, layer.name) for key in keys),
                )
                for layer in found.neurons.layers
            ),
        )
        for title, shares in sets
        if keys
    )


def lead(found: Cover) -> str:
    """Return the criterion of the headline: the best known, else the first that is a share, else the first."""
    shares = [key for key, state in found.states.items() if state.total is not None]
    return _LEAD if _LEAD in found.states else next(iter([*shares, *found.states]))


def _cell(alone: dict[str, dict[str, float]], shares: dict[str, dict[str, float]], key: str, layer: str) -> LayerCell:
    share = shares[key][layer]
    gained = share - alone[key][layer]
    return LayerCell(share, percent(share), f"+{significant(100 * gained)}" if gained > 0 else "")


def _figure(state: Covered) -> str:
    return count(state.covered) if state.total is None else percent(state.value)


def _room(state: Covered) -> float | None:
    return None if state.total is None else 100 * state.value


def _gain(alone: Covered, together: Covered) -> str:
    if alone.total is None:
        return f"+{count(together.covered - alone.covered)}"
    return f"+{significant(100 * (together.value - alone.value))} points"
