"""The judge: only what fails again, from exactly the stored bytes and inside the region, is a finding."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Finding, Seeds, Verdict, finding_id
from unnerve.core.methods import Oracle, Space
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["judge"]


def judge(
    subject: Subject[Classifier],
    seeds: Seeds,
    candidates: Candidates,
    oracle: Oracle,
    space: Space,
    minimum_margin: float = 1e-4,
) -> list[tuple[int, Finding]]:
    """Prove candidates.

    Each candidate is turned into the bytes that would be stored, read back, checked against the region, run through
    the model again and shown to the oracle. What a hunter believed of it counts for nothing.

    Parameters
    ----------
    candidates : Candidates
        K proposals; not changed.
    minimum_margin : float
        Least margin, in logits, by which the answer must be an error, so that it still is one on another machine.

    Returns
    -------
    list of (int, Finding)
        Which candidate, and what was found; nothing for those that failed the proof.
    """
    if minimum_margin < 0:
        raise InvalidSetting(f"minimum_margin must be >= 0, got {minimum_margin}")
    if len(candidates) == 0:
        return []
    stored = [row.numpy().tobytes() for row in candidates.inputs.detach().cpu().to(torch.float32).contiguous()]
    shape = tuple(candidates.inputs.shape[1:])
    again = torch.from_numpy(np.stack([np.frombuffer(data, dtype=np.float32).reshape(shape) for data in stored]))
    centres = seeds.batch.inputs[candidates.seed_index]
    # Only what lies inside is shown to the model: it need not know what to make of NaN, or of values out of range.
    inside = space.contains(again, centres).nonzero().flatten()
    if len(inside) == 0:
        return []
    shown = replace(candidates, inputs=again[inside], seed_index=candidates.seed_index[inside])
    verdict = oracle(subject, seeds, shown)
    proven = (verdict.accepted & (verdict.margin >= minimum_margin)).nonzero().flatten().tolist()
    changes = shown.inputs - centres[inside]
    rows = inside.tolist()
    return [(rows[k], _finding(seeds, shown, verdict, k, stored[rows[k]], changes[k])) for k in proven]


def _finding(seeds: Seeds, candidates: Candidates, verdict: Verdict, row: int, data: bytes, change: Tensor) -> Finding:
    seed = int(candidates.seed_index[row])
    seed_id = seeds.batch.ids[seed]
    return Finding(
        id=finding_id(seed_id, data),
        seed_id=seed_id,
        label=None if seeds.batch.labels is None else int(seeds.batch.labels[seed]),
        before=int(seeds.clean.predicted[seed]),
        after=int(verdict.observation.predicted[row]),
        confidence_before=float(seeds.clean.probabilities[seed].amax()),
        confidence_after=float(verdict.observation.probabilities[row].amax()),
        l0=int((change != 0).flatten(1).any(dim=0).sum() if change.ndim > 1 else (change != 0).sum()),
        l2=float(change.norm()),
        linf=float(change.abs().amax()),
        step=candidates.step,
        margin=float(verdict.margin[row]),
        input=data,
        shape=tuple(change.shape),
        dtype="float32",
    )
