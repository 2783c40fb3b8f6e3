"""The judge: only what fails again, from exactly the stored bytes and inside the region, is a finding."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Finding, Seeds, Verdict, finding_id
from unnerve.core.methods import InUnits, Lineal, Oracle, Space
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["Judgement", "changed_by", "examined", "judge", "judged_again", "lies_inside", "other_random_numbers"]

_OTHERS = 0x6F74686572
"""Far from the seeds that people choose: after ``torch.manual_seed(1)``, numbers of seed 1 would be the same again."""

_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the judge says of K candidates.

    Parameters
    ----------
    proven : list of (int, Finding)
        Which candidate, and what was found.
    missed : Tensor of shape (K,)
        The oracle's margin of those that lie in the region and are no errors; minus infinity for all others.
    """

    proven: list[tuple[int, Finding]]
    missed: Tensor


def judge(
    subject: Subject[Classifier],
    seeds: Seeds,
    candidates: Candidates,
    oracle: Oracle,
    space: Space,
    minimum_margin: float = 1e-4,
) -> list[tuple[int, Finding]]:
    """Prove candidates, see :func:`examined`; return which they are, and what was found."""
    return examined(subject, seeds, candidates, oracle, space, minimum_margin).proven


def examined(
    subject: Subject[Classifier],
    seeds: Seeds,
    candidates: Candidates,
    oracle: Oracle,
    space: Space,
    minimum_margin: float = 1e-4,
) -> Judgement:
    """Prove candidates, and say of the others by how much they are no errors.

    Each candidate is turned into the bytes that would be stored, read back, checked against the region, run through
    the model again and shown to the oracle. What a hunter believed of it counts for nothing.

    Parameters
    ----------
    candidates : Candidates
        K proposals; not changed.
    minimum_margin : float
        Least margin, in logits, by which the answer must be an error, so that it still is one on another machine.
    """
    if minimum_margin < 0:
        raise InvalidSetting(f"minimum_margin must be >= 0, got {minimum_margin}")
    missed = torch.full((len(candidates),), -torch.inf)
    if len(candidates) == 0:
        return Judgement([], missed)
    # Bytes and back, instead of the tensor itself: a tensor in another precision or on a device would be judged as it
    # will never be read.
    stored = [row.numpy().tobytes() for row in candidates.inputs.detach().cpu().to(torch.float32).contiguous()]
    shape = tuple(candidates.inputs.shape[1:])
    again = torch.from_numpy(np.stack([np.frombuffer(data, dtype=np.float32).reshape(shape) for data in stored]))
    centres = seeds.batch.inputs[candidates.seed_index]
    # Only what lies inside is shown to the model: it need not know what to make of NaN, or of values out of range.
    inside = lies_inside(again, centres, candidates, space).nonzero().flatten()
    if len(inside) == 0:
        return Judgement([], missed)
    parameters = None if candidates.parameters is None else candidates.parameters[inside]
    shown = replace(candidates, inputs=again[inside], seed_index=candidates.seed_index[inside], parameters=parameters)
    verdict = oracle(subject, seeds, shown)
    proven = (verdict.accepted & (verdict.margin >= minimum_margin)).nonzero().flatten().tolist()
    # An answer may be beyond the border and no error all the same: that of a seed which gave it from the start.
    margins = verdict.margin.cpu().to(missed.dtype)
    short = margins < minimum_margin
    missed[inside[short]] = margins[short]
    changes = _measured(shown.inputs, space) - _measured(centres[inside], space)
    rows = inside.tolist()
    found = [(rows[k], _finding(seeds, shown, verdict, k, stored[rows[k]], changes[k])) for k in proven]
    return Judgement(found, missed)


def judged_again(
    subject: Subject[Classifier],
    seeds: Seeds,
    findings: Sequence[Finding],
    oracle: Oracle,
    space: Space,
    minimum_margin: float = 1e-4,
) -> dict[str, Finding]:
    """Run findings again from their bytes, in the order in which they are given.

    Parameters
    ----------
    seeds : Seeds
        Those of the findings, and perhaps others.
    findings : sequence of Finding
        With distinct ids.

    Returns
    -------
    dict of str to Finding
        Those that are still proven, as the judge sees them now, by their ids.
    """
    rows = {name: row for row, name in enumerate(seeds.batch.ids)}
    proven: dict[str, Finding] = {}
    for start in range(0, len(findings), _AT_ONCE):
        some = findings[start : start + _AT_ONCE]
        parameters = torch.tensor([one.parameters for one in some]) if some[0].parameters else None
        index = torch.tensor([rows[one.seed_id] for one in some])
        candidates = Candidates(torch.stack([one.tensor() for one in some]), index, 0, parameters)
        found = judge(subject, seeds, candidates, oracle, space, minimum_margin)
        proven |= {finding.id: finding for _, finding in found}
    return proven


@contextmanager
def other_random_numbers(number: int) -> Iterator[None]:
    """Let torch draw other numbers while the context lasts, and go on as before afterwards.

    Adapters give back the random state after every pass, so that a model which draws would otherwise draw the same
    numbers for the same places of a batch each time, and look as if it did not.
    """
    state = torch.get_rng_state()
    torch.set_rng_state(torch.Generator().manual_seed(_OTHERS + number).get_state())
    try:
        yield
    finally:
        torch.set_rng_state(state)


def changed_by(inputs: Tensor, centres: Tensor, space: Space) -> list[tuple[int, float, float]]:
    """Return the L0, L2 and L-infinity distance of each input from its seed, in the units of the region."""
    return [_distances(change) for change in _measured(inputs, space) - _measured(centres, space)]


def _distances(change: Tensor) -> tuple[int, float, float]:
    # Pixels, not values: a pixel that changes in three channels is one changed pixel, as in the papers' L0.
    pixels = (change != 0).flatten(1).any(dim=0).sum() if change.ndim > 1 else (change != 0).sum()
    return int(pixels), float(change.norm()), float(change.abs().amax())


def _measured(inputs: Tensor, space: Space) -> Tensor:
    """Return inputs in the units in which the region measures."""
    return space.measured(inputs) if isinstance(space, InUnits) else inputs


def lies_inside(inputs: Tensor, centres: Tensor, candidates: Candidates, space: Space) -> Tensor:
    """Say which inputs lie in the region: around their seed or, in a region of lineages, around what it became."""
    inputs, centres = _measured(inputs, space), _measured(centres, space)
    if not isinstance(space, Lineal) or candidates.parameters is None:
        return space.contains(inputs, centres)
    # Made again from the parameters that are stored: what a hunter took for the transformed seed counts for nothing.
    parameters = candidates.parameters.to(torch.float32)
    allowed = space.permits(parameters)
    inside = torch.zeros(len(inputs), dtype=torch.bool)
    if bool(allowed.any()):
        origins = space.origins(centres[allowed], parameters[allowed])
        inside[allowed] = space.contains(inputs[allowed], origins)
    return inside


def _finding(seeds: Seeds, candidates: Candidates, verdict: Verdict, row: int, data: bytes, change: Tensor) -> Finding:
    seed = int(candidates.seed_index[row])
    seed_id = seeds.batch.ids[seed]
    l0, l2, linf = _distances(change)
    return Finding(
        id=finding_id(seed_id, data),
        seed_id=seed_id,
        label=None if seeds.batch.labels is None else int(seeds.batch.labels[seed]),
        before=int(seeds.clean.predicted[seed]),
        after=int(verdict.observation.predicted[row]),
        confidence_before=float(seeds.clean.probabilities[seed].amax()),
        confidence_after=float(verdict.observation.probabilities[row].amax()),
        l0=l0,
        l2=l2,
        linf=linf,
        step=candidates.step,
        margin=float(verdict.margin[row]),
        input=data,
        shape=tuple(change.shape),
        dtype="float32",
        parameters=() if candidates.parameters is None else tuple(candidates.parameters[row].tolist()),
        evidence=tuple((name, float(values[row])) for name, values in verdict.evidence.items()),
    )
