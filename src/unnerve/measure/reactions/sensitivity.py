"""Neuron sensitivity (Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", Eq. 1)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import ReactionWords
from unnerve.core.findings import Seeds
from unnerve.core.methods import React
from unnerve.core.model import Capability, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered

__all__ = ["Sensitivity"]

_SCALES = ("spread", "eq1", "minmax", "released")
_UNITS = dict(zip(_SCALES, ("standard deviations", "per unit of L2", "of the layer", "of the layer"), strict=True))
_MEANING = (
    "How far a neuron\u2019s value moves when the input is changed; with the scale spread, in units of its own "
    "standard deviation over ordinary inputs."
)

_Scaling = Callable[[Tensor, Tensor], Tensor]
"""(change of each neuron (A, P, U), change of the input (A, P, ...)) -> (A, P, U)."""


@dataclass(frozen=True)
class Sensitivity:
    r"""How far each neuron moves when the input is changed.

    .. math:: NS_n(x, \Delta x) = \frac{\varphi_n(x + \Delta x) - \varphi_n(x)}{\|\Delta x\|_2}

    Parameters
    ----------
    scale : str
        What the move is measured in. ``spread``: the neuron's own standard deviation on reference data. ``eq1``: the
        length of the change, as in the equation, in shares of the range of values. ``minmax``: the moves of its layer,
        the least being 0 and the largest 1. ``released``: the same of moves with their sign, as in the code that the
        authors released, where a neuron at rest has about 0.5.
    signed : bool
        Count only what rises, as the equation is printed; else both directions. ``released`` always has signs.

    Notes
    -----
    A neuron that never moved on the reference data, a layer whose moves are all equal, and an input that was not
    changed have sensitivity 0. Values are in ``[0, inf)``, or in ``[0, 1]`` with ``minmax`` and ``released``; with
    ``signed`` also below 0.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022.
    """

    scale: str = "spread"
    signed: bool = False
    needs = Capability.NEURONS
    hidden = False
    small = ("", "eq1", "minmax,signed=yes", "released")

    def __post_init__(self) -> None:
        if self.scale not in _SCALES:
            raise InvalidSetting(f"scale must be {', '.join(_SCALES[:-1])} or {_SCALES[-1]}, got '{self.scale}'")

    @property
    def words(self) -> ReactionWords:
        """What reports say of it, with its scale as the unit."""
        return ReactionWords("sensitive", _UNITS[self.scale], "Sensitivity", _MEANING)

    @property
    def referenced(self) -> bool:
        """Whether it compares with reference data."""
        return self.scale == "spread"

    def cost(self, neurons: int) -> int:
        """Return the queries per changed input: one forward pass."""
        return 1

    def prepare(self, subject: Subject[Metered], seeds: Seeds, streams: Streams) -> React:
        """Watch the seeds once; return react(changed inputs (A, P, ...), rows (A,)) -> (A, P, U)."""
        model, centre = subject.model, seeds.batch.inputs
        clean = model.of(torch.arange(len(seeds))).observe(centre, Want.NEURONS).neurons
        neurons = model.neuron_map(centre)
        scaled = self._scaling(subject, neurons, seeds.span)

        def react(changed: Tensor, rows: Tensor) -> Tensor:
            owners = rows.repeat_interleave(changed.shape[1])
            if self.scale == "released":
                moves, extent = model.of(owners).layer_moves(changed.flatten(0, 1), centre, owners)
                return _stretched_layers(moves, extent, neurons).view(*changed.shape[:2], -1)
            now = model.of(owners).observe(changed.flatten(0, 1), Want.NEURONS).neurons
            moves = now.view(*changed.shape[:2], -1) - clean[rows].unsqueeze(1)
            if not self.signed:
                moves.abs_()
            return scaled(moves, changed - centre[rows].unsqueeze(1) if self.scale == "eq1" else changed)

        return react

    def _scaling(self, subject: Subject[Metered], neurons: NeuronMap, width: float) -> _Scaling:
        if self.scale == "eq1":
            return lambda moves, change: _per_length(moves, change, width)
        if self.scale != "spread":
            return lambda moves, _: torch.cat([_stretched(part) for _, part in neurons.split(moves)], dim=-1)
        reference = subject.context.reference
        if reference is None:
            raise InvalidSetting("scale=spread compares with reference data, and there is none")
        reference.check(neurons)
        units = _inverse(reference.spread)
        return lambda moves, _: moves.mul_(units)


def _per_length(moves: Tensor, change: Tensor, width: float) -> Tensor:
    length = torch.linalg.vector_norm(change.flatten(2), dim=2, keepdim=True, dtype=torch.float64) / width
    return moves.mul_(_inverse(length.float()))


def _stretched(moves: Tensor) -> Tensor:
    low, high = moves.amin(dim=-1, keepdim=True), moves.amax(dim=-1, keepdim=True)
    return (moves - low).mul_(_inverse(high - low))


def _stretched_layers(moves: Tensor, extent: Tensor, neurons: NeuronMap) -> Tensor:
    """Scale whole feature maps of differences to [0, 1], and then take means: the means scaled with the maps' ends."""
    low, high = extent.unbind(dim=2)
    sizes = torch.tensor([layer.count for layer in neurons.layers], device=moves.device)
    each, width = (one.repeat_interleave(sizes, dim=1) for one in (low, high - low))
    return (moves - each).mul_(_inverse(width)).clamp_(0, 1)


def _inverse(numbers: Tensor) -> Tensor:
    # A neuron that never moves, or an input that was not changed, counts as not reacting instead of as 0/0.
    return torch.where(numbers > 0, 1 / numbers, 0.0)
