"""Inputs whose confidence and uncertainty contradict each other (Zhang et al., "KuK", ICSE 2020, Eq. 1-4)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.masks import Masks
from unnerve.core.model import Capability
from unnerve.core.patterns import PatternLimits
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.scores.margin import margin
from unnerve.measure.scores.vr import vr
from unnerve.measure.scores.vro import vro

__all__ = ["Uncommon"]

_ELEMENTS = 8_000_000
"""Most probabilities that are held at once: enough for speed, little enough for a thousand classes."""


@dataclass(frozen=True)
class Uncommon:
    r"""KuK's piecewise fitness of one pattern; the piece is chosen by the whole current population of a seed.

    With the limits p of PCS and v of VRO, A = 1 for a wrong answer, and X the population:

    .. math::
        LL &: -PCS \text{ if } \min_X PCS > p, \text{ else } [PCS < p] - VRO \\
        HH &: PCS \text{ if } \max_X PCS < p, \text{ else } [PCS > p] + VRO \\
        HL &: -PCS \text{ if all are right, } A + PCS \text{ if } \max_X PCS < p,
              \text{ else } A + [PCS > p] - VRO \\
        LH &: 1 - A - PCS \text{ if } \min_X PCS > p, \text{ else } 1 - A + [PCS < p] + VRO

    In the last piece an input that keeps to the pattern exceeds every input that does not: the best of a generation
    keeps to it if any does.

    Parameters
    ----------
    pattern, confidence, uncertainty
        See :class:`unnerve.core.patterns.PatternLimits`.
    masks : int
        T, dropout masks for each candidate where its piece looks at VRO; the same for all candidates of a seed and
        generation, so that they are compared by their own differences and not by those of masks.
    as_printed : bool
        In LH add VR, as Eq. 4 prints, instead of VRO, which text, objective and figure name.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """

    pattern: str = "LL"
    confidence: float | None = None
    uncertainty: float | None = None
    masks: int = 50
    as_printed: bool = False
    needs = Capability.DROPOUT
    start_cost = 0
    staged = True

    def __post_init__(self) -> None:
        if self.masks < 1:
            raise InvalidSetting(f"masks must be >= 1, got {self.masks}")
        self.limits  # noqa: B018 - settings are checked where they belong

    @property
    def limits(self) -> PatternLimits:
        """What an input must keep to."""
        return PatternLimits(self.pattern, self.confidence, self.uncertainty)

    def cost(self, classes: int) -> int:
        """Return the most queries per candidate: a pass without dropout, and one for each draw."""
        return 1 + self.masks

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Return fitness(candidates (A, P, ...), rows (A,)) -> (A, P); each call is one generation."""
        # New masks in each generation: a search that saw the same ones throughout would learn them by heart.
        generations = count()
        # Seeds whose last generation looked at draws: the next one seldom does not, so that it is asked for answers and
        # draws at once, and what comes before dropout runs once. If it does not, those draws were in vain, but count.
        drawing = torch.zeros(len(seeds), dtype=torch.bool)

        def fitness(candidates: Tensor, rows: Tensor) -> Tensor:
            start = next(generations) * self.masks
            found = torch.empty(candidates.shape[:2], dtype=torch.float64)
            most = max(1, _ELEMENTS // (self.masks * candidates.shape[1] * seeds.clean.logits.shape[1]))
            drew = drawing[rows]
            for at_once in drew.unique().tolist():
                for some in (drew == at_once).nonzero().flatten().split(most):
                    own = rows[some]
                    masks = Masks(0, tuple(seeds.batch.ids[row] for row in own.tolist()), self.masks, start)
                    pcs, spread, wrong = self._figures(subject.model, seeds, candidates[some], own, masks, at_once)
                    found[some] = self.values(pcs, spread, wrong)
                    drawing[own] = self.looks_at_draws(pcs, wrong)
            return found

        return fitness

    def looks_at_draws(self, pcs: Tensor, wrong: Tensor) -> Tensor:
        """Say for which populations, PCS and errors of shape (A, P), the last piece holds: bool (A,)."""
        p = self.limits.p
        reached = pcs.amax(dim=1) >= p if self.limits.surer else pcs.amin(dim=1) <= p
        return reached & wrong.any(dim=1) if self.pattern == "HL" else reached

    def values(self, pcs: Tensor, spread: Tensor, wrong: Tensor) -> Tensor:
        """Return the fitness from PCS, VRO and errors, each (A, P), every row a population; double (A, P)."""
        limits, p = self.limits, self.limits.p
        kind = torch.zeros_like(pcs) if limits.wrong is None else (wrong == limits.wrong).to(pcs)
        beyond = (pcs > p if limits.surer else pcs < p).to(pcs)
        first = kind + (pcs if limits.surer else -pcs)
        if self.pattern == "HL":
            # While every answer is right, confidence is lowered to make errors; only errors are then made sure of.
            first = torch.where(wrong.any(dim=1, keepdim=True), first, -pcs)
        last = kind + beyond + (spread if limits.unsteady else -spread)
        return torch.where(self.looks_at_draws(pcs, wrong).unsqueeze(1), last, first)

    def _figures(
        self, model: Metered, seeds: Seeds, x: Tensor, rows: Tensor, masks: Masks, at_once: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return PCS, VRO where the last piece holds (else 0), and errors of populations (A, P, ...): each (A, P)."""
        shape, flat = x.shape[:2], x.flatten(0, 1)
        owners = rows.repeat_interleave(shape[1])
        whose = torch.arange(len(rows)).repeat_interleave(shape[1])
        if at_once:
            seen, draws = model.of(owners).observed_samples(flat, masks[whose.tolist()])
        else:
            seen, draws = model.of(owners).observe(flat), None
        pcs = (1 - margin(seen.probabilities)).view(shape)
        wrong = (seen.predicted != seeds.expected[owners]).view(shape)
        spread = torch.zeros_like(pcs)
        last = self.looks_at_draws(pcs, wrong)
        if bool(last.any()):
            drawn = last[whose]
            if draws is None:
                draws = model.of(owners[drawn]).samples(flat[drawn], masks[whose[drawn].tolist()])
            else:
                draws = draws[:, drawn]
            printed = self.as_printed and self.pattern == "LH"
            values = vr(draws) if printed else vro(draws, seen.probabilities[drawn])
            spread[last] = values.to(spread).view(-1, shape[1])
        return pcs, spread, wrong
