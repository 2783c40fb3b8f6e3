"""Inputs whose confidence and uncertainty contradict each other (Zhang et al., "KuK", ICSE 2020, Eq. 1-4)."""

from dataclasses import dataclass

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

    In the last piece an input that keeps to the pattern, by the draws of the search, exceeds every input that does not:
    the best of a generation keeps to it if any does.

    Parameters
    ----------
    pattern, confidence, uncertainty
        See :class:`unnerve.core.patterns.PatternLimits`.
    masks : int
        T, dropout masks for each candidate where its piece looks at VRO; the same for all candidates of a seed and
        generation, so that they are compared by their own differences and not by those of masks.
    as_printed : bool
        In LH add VR, as Eq. 4 prints, instead of VRO, which text, objective and figure name; what is said of the best
        then holds for VR.

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

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> "Generations":
        """Return fitness(candidates (A, P, ...), rows (A,)) -> (A, P); each call is one generation."""
        return Generations(self, subject.model, seeds)

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

    def met(self, pcs: Tensor, spread: Tensor, wrong: Tensor) -> Tensor:
        """Say which members of populations keep to the pattern by these draws: bool (A, P)."""
        limits = self.limits
        keeps = (limits.confidence_gap(pcs) > 0) & (limits.uncertainty_gap(spread) > 0)
        if limits.wrong is not None:
            keeps &= wrong == limits.wrong
        return keeps & self.looks_at_draws(pcs, wrong).unsqueeze(1)


class Generations:
    """The fitness of one generation after the other.

    Parameters
    ----------
    goal : Uncommon
    model : Metered
    seeds : Seeds
    """

    def __init__(self, goal: Uncommon, model: Metered, seeds: Seeds) -> None:
        self.goal, self.model, self.seeds = goal, model, seeds
        self.met = torch.zeros(0, 0, dtype=torch.bool)
        """Which members of the last generation keep to the pattern by the draws that it was given, (A, P)."""
        # New masks in each generation: a search that saw the same ones throughout would learn them by heart.
        self._start = 0
        # Seeds whose last generation looked at draws: the next one seldom does not, so that it is asked for answers and
        # draws at once, and what comes before dropout runs once. If it does not, those draws were in vain, but count.
        self._drawing = torch.zeros(len(seeds), dtype=torch.bool)

    def __call__(self, candidates: Tensor, rows: Tensor) -> Tensor:
        """Return the fitness of candidates (A, P, ...) of the seeds in ``rows`` (A,): double (A, P)."""
        goal, shape = self.goal, candidates.shape[:2]
        found, self.met = torch.empty(shape, dtype=torch.float64), torch.empty(shape, dtype=torch.bool)
        most = max(1, _ELEMENTS // (goal.masks * shape[1] * self.seeds.clean.logits.shape[1]))
        drew = self._drawing[rows]
        for at_once in drew.unique().tolist():
            for some in (drew == at_once).nonzero().flatten().split(most):
                own = rows[some]
                figures = self._figures(candidates[some], own, at_once)
                found[some], self.met[some] = goal.values(*figures), goal.met(*figures)
                self._drawing[own] = goal.looks_at_draws(figures[0], figures[2])
        self._start += goal.masks
        return found

    def _figures(self, x: Tensor, rows: Tensor, at_once: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Return PCS, VRO where the last piece holds (else 0), and errors of populations (A, P, ...): each (A, P)."""
        goal, shape, flat = self.goal, x.shape[:2], x.flatten(0, 1)
        ids = tuple(self.seeds.batch.ids[row] for row in rows.tolist())
        masks = Masks(0, ids, goal.masks, self._start)
        owners = rows.repeat_interleave(shape[1])
        whose = torch.arange(len(rows)).repeat_interleave(shape[1])
        if at_once:
            seen, draws = self.model.of(owners).observed_samples(flat, masks[whose.tolist()])
        else:
            seen, draws = self.model.of(owners).observe(flat), None
        pcs = (1 - margin(seen.probabilities)).view(shape)
        wrong = (seen.predicted != self.seeds.expected[owners]).view(shape)
        spread = torch.zeros_like(pcs)
        last = goal.looks_at_draws(pcs, wrong)
        if bool(last.any()):
            drawn = last[whose]
            if draws is None:
                draws = self.model.of(owners[drawn]).samples(flat[drawn], masks[whose[drawn].tolist()])
            else:
                draws = draws[:, drawn]
            printed = goal.as_printed and goal.pattern == "LH"
            values = vr(draws) if printed else vro(draws, seen.probabilities[drawn])
            spread[last] = values.to(spread).view(-1, shape[1])
        return pcs, spread, wrong
