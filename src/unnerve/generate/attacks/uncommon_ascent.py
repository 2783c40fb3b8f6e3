"""Gradient steps towards inputs whose confidence and uncertainty contradict each other (patterns of "KuK", 2020)."""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.fitting import BALLS, steepest_step
from unnerve.core.masks import Masks
from unnerve.core.methods import Space
from unnerve.core.model import Capability, Loss, Observation
from unnerve.core.patterns import PatternLimits
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._ascent import ball, check_steps
from unnerve.generate.attacks._selection import broadcast_over
from unnerve.generate.oracles.pattern import Pattern
from unnerve.measure.scores.margin import margin

__all__ = ["UncommonAscent"]

_FIRST, _LAST = 0.2, 0.005
"""The first and the last step of a start, as shares of the radius."""

_MEMORY = 0.75
"""Share of the last direction, and of the last estimate of VRO, that is kept."""


@dataclass(frozen=True)
class UncommonAscent:
    r"""Steps along the gradients of confidence and of steadiness, each towards its side of the pattern's limits.

    With an answer :math:`c` that is aimed at, confidence is moved by :math:`z_c - \log \sum_{j \ne c} e^{z_j}` of the
    model, steadiness by :math:`z_c - \max_{j \ne c} z_j` under dropout masks, averaged over ``masks`` of them that are
    new in every step and bent so that draws near to changing count most. Each gradient is scaled by itself, and counts
    as far as its own condition is not met yet.

    Several starts: the first near the seed, the others at random points of the region. They aim at the right answer
    (LH), at the most likely wrong ones in turn (HL), or at the right and wrong ones in turn (LL, HH).

    Parameters
    ----------
    pattern, confidence, uncertainty
        What is looked for, see :class:`unnerve.core.patterns.PatternLimits`.
    steps : int
        For each start, >= 2.
    starts : int
        >= 1.
    masks : int
        Dropout masks in each step, >= 1.

    References
    ----------
    unnerve, decision 170; patterns after Zhang et al., "KuK", 2020; gradients through draws after Athalye et al.,
    "Obfuscated Gradients Give a False Sense of Security", 2018 (expectation over randomness).
    """

    pattern: str = "LL"
    confidence: float | None = None
    uncertainty: float | None = None
    steps: int = 60
    starts: int = 6
    masks: int = 8
    needs = Capability.GRADIENTS | Capability.DROPOUT
    regions = BALLS
    draws = True
    start_cost = 0
    small = ("pattern=LL,masks=2,steps=3,starts=2", "pattern=HL,masks=2,steps=3,starts=2")

    def __post_init__(self) -> None:
        check_steps(self.steps - 1)
        for name in ("starts", "masks"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        self.limits  # noqa: B018 - settings are checked where they belong

    @property
    def limits(self) -> PatternLimits:
        """What an input must keep to."""
        return PatternLimits(self.pattern, self.confidence, self.uncertainty)

    @property
    def goal(self) -> Pattern:
        """What proves that it has found what it looks for."""
        return Pattern(self.pattern, self.confidence, self.uncertainty)

    @property
    def width(self) -> int:
        """Rows per seed and step."""
        return 1 + self.masks

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: a forward and a backward pass without dropout, and for each mask."""
        return 2 * (1 + self.masks)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every step, start after start."""
        region, rows = ball(self, space), torch.arange(len(seeds))
        for start in range(self.starts):
            centre = seeds.batch.inputs[rows]
            own = streams[rows.tolist()]
            x = region.samples(centre, own, start, 1).squeeze(1)
            if start == 0:
                x = region.project(centre + 0.1 * (x - centre), centre)
            path = _Path(
                x, centre, self._aims(seeds, start)[rows], torch.zeros_like(x), torch.full((len(x),), 0.5).double()
            )
            for step in range(self.steps):
                number = start * self.steps + step
                direction, path = self._direction(subject.model, seeds, rows, path, number)
                size = region.reach * _LAST ** (step / (self.steps - 1)) * _FIRST ** (1 - step / (self.steps - 1))
                ahead = steepest_step(region, direction, path.centre)
                moved = region.project(path.x.add_(ahead, alpha=-size), path.centre)
                wanted = yield Candidates(moved, rows, number)
                keep = wanted[rows]
                if not bool(keep.all()):
                    rows, path = rows[keep], path.kept(keep)
                if len(rows) == 0:
                    return

    def _aims(self, seeds: Seeds, start: int) -> Tensor:
        """Return the answer that each seed shall have in this start, int64 (N,)."""
        right = seeds.expected.unsqueeze(1)
        # The right answer first, then the others as the model has them.
        order = seeds.clean.logits.scatter(1, right, math.inf).argsort(dim=1, descending=True, stable=True)
        wrong = order.shape[1] - 1
        if self.limits.wrong is None:
            return order[:, start % (1 + wrong)]
        return order[:, 1 + start % wrong if self.limits.wrong else 0]

    def _direction(
        self, model: Metered, seeds: Seeds, rows: Tensor, path: "_Path", number: int
    ) -> tuple[Tensor, "_Path"]:
        """Return the direction to walk against, (A, ...), and the path with what this step has shown."""
        # Later starts ask for less beyond the limits: where confidence and steadiness hold each other, that is all
        # there is to be had.
        slack = 0.5 ** (1 + number // self.steps // 2)
        confidence = _confidence(self.limits, slack)
        _, sure, seen = model.of(rows).gradient(path.x, confidence, path.aim)
        names = tuple(f"{seeds.batch.ids[row]}/{copy}" for row in rows.tolist() for copy in range(self.masks))
        copies = path.x.repeat_interleave(self.masks, dim=0)
        aims = path.aim.repeat_interleave(self.masks)
        _, each, drawn = model.of(rows.repeat_interleave(self.masks)).drawn_gradient(
            copies, Masks(0, names, 1, number), _steadiness(self.limits), aims
        )
        steady = each.unflatten(0, (len(rows), self.masks)).mean(dim=1)
        changed = (drawn.predicted != aims).view(-1, self.masks).double().mean(dim=1)
        vro = path.vro * _MEMORY + (1 - _MEMORY) * changed.to(path.vro)
        # A little beyond the limits: few draws estimate VRO roughly, and the proof has draws of its own.
        gaps = torch.stack(
            [self.limits.confidence_gap(1 - margin(seen.probabilities)), self.limits.uncertainty_gap(vro)]
        )
        need = ((0.3 * slack - gaps).clamp(0, 0.5) * 2).to(sure.dtype)
        need[0, seen.predicted != path.aim] = 1
        step = _evened(sure) * broadcast_over(need[0], sure) + _evened(steady) * broadcast_over(need[1], steady)
        speed = path.speed * _MEMORY + step
        return speed, replace(path, speed=speed, vro=vro)


@dataclass(frozen=True, eq=False)
class _Path:
    """Where A seeds are: points and centres (A, ...), answers aimed at (A,), speeds (A, ...), VRO so far (A,)."""

    x: Tensor
    centre: Tensor
    aim: Tensor
    speed: Tensor
    vro: Tensor

    def kept(self, keep: Tensor) -> "_Path":
        """Return the path of some of the seeds."""
        return _Path(self.x[keep], self.centre[keep], self.aim[keep], self.speed[keep], self.vro[keep])


def _confidence(limits: PatternLimits, slack: float) -> Loss:
    """Return a loss that is 0 where the answer aimed at has a PCS so far between the limit and the end of its side."""
    # PCS = tanh(lead / 2) of two classes.
    wanted = 2 * math.atanh(limits.p + slack * (1 - limits.p) if limits.surer else limits.p * (1 - slack))

    def loss(seen: Observation, aim: Tensor) -> Tensor:
        others = seen.logits.scatter(1, aim.unsqueeze(1), -math.inf)
        own = seen.logits.gather(1, aim.unsqueeze(1)).squeeze(1)
        if limits.surer:
            return (wanted - (own - others.logsumexp(dim=1))).relu()
        lead = own - others.amax(dim=1)
        return (lead - wanted).relu() + (wanted / 4 - lead).relu()

    return loss


def _steadiness(limits: PatternLimits) -> Loss:
    """Return a loss of a draw, in [0, 1): 0 where its answer is clearly what the pattern wants of most draws."""

    def loss(seen: Observation, aim: Tensor) -> Tensor:
        lead = seen.lead(aim)
        lacking = ((lead if limits.unsteady else -lead) + 0.5).relu()
        # Draws far from changing are left alone: not all of them have to.
        return lacking / (1 + lacking)

    return loss


def _evened(gradient: Tensor) -> Tensor:
    """Return gradients (A, ...) scaled to a mean size of one; of zeros nothing is made."""
    size = gradient.flatten(1).abs().mean(dim=1)
    return gradient / broadcast_over(size.clamp(min=1e-20), gradient)
