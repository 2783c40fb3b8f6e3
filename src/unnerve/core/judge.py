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
    seen = _shown(subject, seeds, replace(candidates, inputs=again), oracle, space)
    if seen is None:
        return Judgement([], missed)
    inside, shown, verdict = seen
    proven = _proven(verdict, minimum_margin)
    # An answer may be beyond the border and no error all the same: that of a seed which gave it from the start.
    margins = verdict.margin.cpu().to(missed.dtype)
    short = margins < minimum_margin
    missed[inside[short]] = margins[short]
    rows = inside[proven].tolist()
    found = _findings(seeds, shown, verdict, proven, [stored[row] for row in rows], space)
    return Judgement(list(zip(rows, found, strict=True)), missed)


def judged_again(
    subject: Subject[Classifier],
    seeds: Seeds,
    findings: Sequence[Finding],
    oracle: Oracle,
    space: Space,
    minimum_margin: float = 1e-4,
) -> dict[str, tuple[int, int]]:
    """Run findings again from their bytes, in the order in which they are given.

    Parameters
    ----------
    seeds : Seeds
        Those of the findings, and perhaps others.
    findings : sequence of Finding
        With distinct ids.

    Returns
    -------
    dict of str to (int, int)
        By the ids of those that are still proven: the class of the seed, and that of the finding.
    """
    rows = {name: row for row, name in enumerate(seeds.batch.ids)}
    proven: dict[str, tuple[int, int]] = {}
    for start in range(0, len(findings), _AT_ONCE):
        some = findings[start : start + _AT_ONCE]
        parameters = torch.tensor([one.parameters for one in some]) if some[0].parameters else None
        index = torch.tensor([rows[one.seed_id] for one in some])
        inputs = np.stack([np.frombuffer(one.input, np.float32).reshape(one.shape) for one in some])
        seen = _shown(subject, seeds, Candidates(torch.from_numpy(inputs), index, 0, parameters), oracle, space)
        if seen is not None:
            inside, shown, verdict = seen
            # What was measured of them once is not measured again: the question is only whether they still fail.
            before, after = seeds.clean.predicted[shown.seed_index].tolist(), verdict.observation.predicted.tolist()
            names = [some[row].id for row in inside.tolist()]
            proven |= {names[k]: (before[k], after[k]) for k in _proven(verdict, minimum_margin)}
    return proven


def _shown(
    subject: Subject[Classifier], seeds: Seeds, candidates: Candidates, oracle: Oracle, space: Space
) -> tuple[Tensor, Candidates, Verdict] | None:
    """Return which candidates lie inside the region, these alone, and what the oracle says of them; None if none do."""
    centres = seeds.batch.inputs[candidates.seed_index]
    # Only what lies inside is shown to the model: it need not know what to make of NaN, or of values out of range.
    inside = lies_inside(candidates.inputs, centres, candidates, space).nonzero().flatten()
    if len(inside) == 0:
        return None
    parameters = None if candidates.parameters is None else candidates.parameters[inside]
    index = candidates.seed_index[inside]
    shown = replace(candidates, inputs=candidates.inputs[inside], seed_index=index, parameters=parameters)
    return inside, shown, oracle(subject, seeds, shown)


def _proven(verdict: Verdict, minimum_margin: float) -> list[int]:
    """Return the rows of a verdict that are errors by the least margin."""
    rows: list[int] = (verdict.accepted & (verdict.margin >= minimum_margin)).nonzero().flatten().tolist()
    return rows


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
    changes = _measured(inputs, space) - _measured(centres, space)
    # Pixels, not values: a pixel that changes in three channels is one changed pixel, as in the papers' L0.
    changed = (changes != 0).flatten(2).any(dim=1) if changes.ndim > 2 else changes != 0
    # Row by row: of all rows together, a sum of squares may be rounded otherwise, and would be stored so.
    lengths = [float(change.norm()) for change in changes]
    largest = changes.flatten(1).abs().amax(dim=1)
    return list(zip(changed.sum(dim=1).tolist(), lengths, largest.tolist(), strict=True))


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


def _findings(
    seeds: Seeds, candidates: Candidates, verdict: Verdict, rows: list[int], inputs: list[bytes], space: Space
) -> list[Finding]:
    """Return what was found in some rows of the candidates; ``inputs`` are the bytes of these rows."""
    if not rows:
        return []
    index = candidates.seed_index[rows]
    batch, shown = seeds.batch, candidates.inputs[rows]
    # Column by column: what is asked of a tensor costs as much for one number as for thousands.
    labels: list[int | None] = [None] * len(rows) if batch.labels is None else batch.labels[index].tolist()
    before, after = seeds.clean.predicted[index].tolist(), verdict.observation.predicted[rows].tolist()
    sure_before = seeds.clean.probabilities[index].amax(dim=1).tolist()
    sure_after = verdict.observation.probabilities[rows].amax(dim=1).tolist()
    margins = verdict.margin[rows].tolist()
    distances = changed_by(shown, batch.inputs[index], space)
    parameters: list[list[float]] = (
        [[]] * len(rows) if candidates.parameters is None else candidates.parameters[rows].tolist()
    )
    evidence = {name: values[rows].tolist() for name, values in verdict.evidence.items()}
    shape = tuple(shown.shape[1:])
    return [
        Finding(
            finding_id(batch.ids[seed], inputs[k]),
            batch.ids[seed],
            labels[k],
            before[k],
            after[k],
            sure_before[k],
            sure_after[k],
            *distances[k],
            candidates.step,
            margins[k],
            inputs[k],
            shape,
            "float32",
            tuple(parameters[k]),
            tuple((name, float(values[k])) for name, values in evidence.items()),
        )
        for k, seed in enumerate(index.tolist())
    ]
