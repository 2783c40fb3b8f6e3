"""An input counts if its confidence and uncertainty have a pattern (Zhang et al., "KuK", ICSE 2020, section 4.2)."""

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Classifier, Stochastic, require
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.patterns import PatternLimits
from unnerve.core.subject import Subject
from unnerve.generate.oracles._sequential import log_evidence
from unnerve.measure.scores.margin import margin

__all__ = ["Pattern"]

_COPIES, _EACH = 8, 5
"""Rows per input and draws per look. A pass has at least 32 rows anyway, so one input takes several of them."""

_EVIDENCE = ("pcs", "vro", "vro_error", "vro_draws", "adversarial")

_PHRASES = {
    "LL": ("the answer is unsure but steady under dropout (LL)", "be unsure but steady"),
    "HH": ("the answer is sure but unsteady under dropout (HH)", "be sure but unsteady"),
    "LH": ("the answer is right, but unsure and unsteady, as if adversarial (LH)", "be right but seem attacked"),
    "HL": ("the answer is wrong, but sure and steady, as if benign (HL)", "be wrong but seem sound"),
}


@dataclass(frozen=True)
class Pattern:
    """PCS and VRO lie beyond their limits; in LH the answer must be right, in HL wrong. Findings may be benign.

    VRO is tested with dropout masks of the input's own, which no search has seen: draws are added until it is decided
    on which side of the limit the VRO of infinitely many draws lies, or ``draws`` are spent, and then the input does
    not count. An input whose VRO is on the other side, or at the limit, is accepted with probability ``error`` at most.

    Stored with each finding: ``pcs``; ``vro``, of ``vro_draws`` draws, with its standard error ``vro_error``;
    ``adversarial``, 1 if the answer is wrong.

    Parameters
    ----------
    pattern, confidence, uncertainty
        See :class:`unnerve.core.patterns.PatternLimits`.
    error : float
        Of the test, in ``(0, 0.5)``.
    draws : int
        Most draws for each input, >= 40.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020; Robbins, "Statistical Methods Related to the Law of the Iterated Logarithm",
    1970.
    """

    pattern: str = "LL"
    confidence: float | None = None
    uncertainty: float | None = None
    error: float = 0.001
    draws: int = 1000
    needs = Capability.DROPOUT
    target = None
    small = ("HL,confidence=0.5,uncertainty=0.5", "HH,confidence=0.3,uncertainty=0.2,error=0.05,draws=200")

    def __post_init__(self) -> None:
        self.limits  # noqa: B018 - settings are checked where they belong
        if not 0 < self.error < 0.5:
            raise InvalidSetting(f"error must be in (0, 0.5), got {self.error}")
        if self.draws < _COPIES * _EACH:
            raise InvalidSetting(f"draws must be >= {_COPIES * _EACH}, got {self.draws}")

    @property
    def limits(self) -> PatternLimits:
        """What an input must keep to."""
        return PatternLimits(self.pattern, self.confidence, self.uncertainty)

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        phrase, deed = _PHRASES[self.pattern]
        return OracleFacts(describe(self), command_text(self), phrase, deed, evidence=_EVIDENCE)

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Accept inputs of the pattern; the margin is the least distance from a limit, of PCS, VRO or logits."""
        seen, limits = subject.model.observe(candidates.inputs), self.limits
        expected = seeds.expected[candidates.seed_index]
        pcs, wrong = 1 - margin(seen.probabilities), seen.predicted != expected
        # An answer that is as good as tied may be another one elsewhere, and VRO is that of the answer.
        clear = torch.minimum(limits.confidence_gap(pcs), seen.lead(seen.predicted).to(pcs))
        if limits.wrong is not None:
            # No confidence is farther than 1 from its limit: with -1 an input is out, whatever the other distances are.
            clear = torch.where(wrong == limits.wrong, clear, -torch.ones_like(clear))
        tried = (clear > 0).nonzero().flatten()
        hits, draws, decided = self._tested(subject.model, candidates.inputs[tried], seen.predicted[tried])
        counted = torch.zeros(3, len(pcs), dtype=torch.float64)
        counted[:, tried] = torch.stack([hits, draws, decided]).double()
        vro = torch.where(counted[1] > 0, counted[0] / counted[1].clamp(min=1), math.nan)
        gap = torch.minimum(clear, torch.nan_to_num(limits.uncertainty_gap(vro), nan=-1.0))
        accepted = (counted[2] > 0) & (gap > 0)
        # One hit and one miss more: no finite number of draws proves a VRO of exactly 0 or 1.
        share = (counted[0] + 1) / (counted[1] + 2)
        columns = (pcs, vro, (share * (1 - share) / (counted[1] + 2)).sqrt(), counted[1], wrong.double())
        found = dict(zip(_EVIDENCE, columns, strict=True))
        # Draws that end undecided may lie beyond the limit all the same; what is not accepted must have a negative
        # margin.
        return Verdict(accepted, torch.where(accepted, gap, -gap.abs()), seen, found)

    def _tested(self, model: Classifier, x: Tensor, predicted: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Draw for inputs, (K, ...), until each is decided; return hits, draws, and which have the VRO: (K,)."""
        require(model, Capability.DROPOUT, "pattern")
        assert isinstance(model, Stochastic)
        limits, enough = self.limits, -math.log(self.error)
        hits, draws = torch.zeros(2, len(x), dtype=torch.int64)
        decided = torch.zeros(len(x), dtype=torch.bool)
        # Named by their bytes: the same input has the same masks when it is replayed, and no other input has them.
        names = [hashlib.blake2b(row.numpy().tobytes(), digest_size=16).hexdigest() for row in x.cpu().contiguous()]
        left, look = torch.arange(len(x)), 0
        while len(left) and (look + 1) * _COPIES * _EACH <= self.draws:
            own = tuple(f"pattern/{names[row]}/{copy}" for row in left.tolist() for copy in range(_COPIES))
            rows = x[left].repeat_interleave(_COPIES, dim=0)
            answers = model.samples(rows, Masks(0, own, _EACH, look * _EACH)).argmax(dim=-1)
            changed = answers != predicted[left].repeat_interleave(_COPIES)
            look += 1
            draws[left] = look * _COPIES * _EACH
            hits[left] += changed.view(_EACH, -1, _COPIES).sum(dim=(0, 2))
            above, below = (
                log_evidence(hits[left].numpy(), look * _COPIES * _EACH, limits.v, side) for side in (True, False)
            )
            wanted, other = (above, below) if limits.unsteady else (below, above)
            decided[left] = torch.from_numpy(wanted >= enough)
            left = left[torch.from_numpy(np.maximum(wanted, other) < enough)]
        return hits, draws, decided
